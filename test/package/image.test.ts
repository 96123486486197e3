import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { APP, DISTROLESS, ENTRYPOINT, inRepository, LICENSE, NAME, PORTS, USER } from "../../scripts/package/layout.ts";
import { readOrigin, toPage } from "../../scripts/package/origin.ts";

const read = (file: string): string => readFileSync(inRepository(file), "utf8");

test("the Dockerfile builds the same images as npm run package, the function's last", () => {
  const [, ...stages] = read("Dockerfile").split(/^FROM (?=gcr|base)/m);
  expect(stages.flatMap((stage) => stage.trim().split("\n"))).toEqual([
    `${DISTROLESS} AS base`,
    "ARG VERSION",
    "ARG SOURCE",
    "ARG REVISION",
    "LABEL org.opencontainers.image.version=$VERSION \\",
    `      org.opencontainers.image.licenses=${LICENSE} \\`,
    "      org.opencontainers.image.source=$SOURCE \\",
    "      org.opencontainers.image.revision=$REVISION",
    "ENV NODE_ENV=production",
    `WORKDIR ${APP}`,
    `USER ${USER}`,
    `ENTRYPOINT [${ENTRYPOINT.map((part) => JSON.stringify(part)).join(", ")}]`,
    "base AS cli",
    "COPY --from=build /source/build/cli ./",
    "base AS function",
    "COPY --from=build /source/build/function ./",
    `EXPOSE ${PORTS.join(" ")}`,
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

test("crossplane.yaml wants the oldest Crossplane that is tested, and names no repository: a build does", () => {
  const { metadata, spec } = parse(read("crossplane.yaml"));
  const [, oldest] = /^\| Crossplane \(core\) \| (v\d+\.\d+)\./m.exec(read("docs/compatibility.md")) ?? [];
  expect(spec.crossplane.version).toBe(`>=${oldest}.0-0`);
  expect(metadata.annotations).not.toHaveProperty(["meta.crossplane.io/source"]);
});

describe("the repository's page", () => {
  test.each([
    ["https://github.com/acme/function.git", "https://github.com/acme/function"],
    ["https://user:secret@github.com/acme/function", "https://github.com/acme/function"],
    ["ssh://git@gitlab.example.org/acme/group/function.git", "https://gitlab.example.org/acme/group/function"],
    ["/srv/git/function.git", undefined],
  ])("of the remote %s is %s", (remote, page) => {
    expect(toPage(remote)).toBe(page);
  });

  test("and the commit are those of the GitHub workflow that builds", async () => {
    const env = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "Acme/function", GITHUB_SHA: "5a5a5a5" };
    expect(await readOrigin(env)).toEqual({ source: "https://github.com/Acme/function", revision: "5a5a5a5" });
  });
});

test("the package's icon is package/icon.svg", () => {
  const { metadata } = parse(read("crossplane.yaml"));
  const icon = Buffer.from(read("package/icon.svg").trim()).toString("base64");
  expect(metadata.annotations["meta.crossplane.io/iconURI"]).toBe(`data:image/svg+xml;base64,${icon}`);
});
