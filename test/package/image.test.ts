import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { APP, DISTROLESS, ENTRYPOINT, inRepository, NAME, PORTS, USER } from "../../scripts/package/layout.ts";

const read = (file: string): string => readFileSync(inRepository(file), "utf8");

test("the Dockerfile builds the same image as npm run package", () => {
  const [, last = ""] = read("Dockerfile").split(/^FROM (?=gcr)/m);
  expect(last.trim().split("\n")).toEqual([
    DISTROLESS,
    "ENV NODE_ENV=production",
    `WORKDIR ${APP}`,
    "COPY --from=build /source/build/function ./",
    `USER ${USER}`,
    `EXPOSE ${PORTS.join(" ")}`,
    `ENTRYPOINT [${ENTRYPOINT.map((part) => JSON.stringify(part)).join(", ")}]`,
  ]);
});

test("crossplane.yaml declares a Function for Compositions and Operations under the package's name", () => {
  expect(parse(read("crossplane.yaml"))).toMatchObject({
    apiVersion: "meta.pkg.crossplane.io/v1",
    kind: "Function",
    metadata: { name: NAME },
    spec: { capabilities: ["composition", "operation"] },
  });
});

test("the package's icon is package/icon.svg", () => {
  const { metadata } = parse(read("crossplane.yaml"));
  const icon = Buffer.from(read("package/icon.svg").trim()).toString("base64");
  expect(metadata.annotations["meta.crossplane.io/iconURI"]).toBe(`data:image/svg+xml;base64,${icon}`);
});
