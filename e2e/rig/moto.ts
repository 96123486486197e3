import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { type Part, startPart } from "./process.ts";

/** The region of all that scenarios create. */
export const REGION = "eu-central-1";

/** A cloud resource of which moto knows the tags. */
export interface CloudResource {
  readonly service: "s3" | "rds" | "dynamodb";
  readonly name: string;
}

/** A request as AWS's documentation names it. */
interface AwsRequest {
  /** Such as `PUT /orders?tagging`, `CreateTable` or `AddTagsToResource`. */
  readonly action: string;
  readonly body: string;
}

/** AWS's APIs on loopback. */
export interface Moto {
  readonly part: Part;
  readonly url: string;
  /** Requests in the order in which moto recorded them. @param from leaves out as many, which were read before. */
  requests(from?: number): readonly AwsRequest[];
  /** Calls IAM. @returns the answer, in XML. @throws {Error} with the answer where it is a refusal. */
  iam(action: string, parameters: Readonly<Record<string, string>>): Promise<string>;
  /** The tags of a cloud resource; undefined where it is not there. */
  tagsOf(resource: CloudResource): Promise<Readonly<Record<string, string>> | undefined>;
}

export async function startMoto(directory: string): Promise<Moto> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = join(directory, "cloud");
  mkdirSync(folder);
  const record = join(folder, "requests");
  const part = await startPart({
    name: "moto",
    command: join(dirname(pathOf("moto")), "moto_server"),
    args: ["-H", "127.0.0.1", "-p", String(port)],
    env: { MOTO_ENABLE_RECORDING: "true", MOTO_RECORDER_FILEPATH: record },
    directory,
    isReady: async () => (await fetch(`${url}/moto-api/data.json`)).ok,
  });
  return {
    part,
    url,
    requests: (from = 0) => readFileSync(record, "utf8").split("\n").filter(Boolean).slice(from).map(toRequest),
    iam: (action, parameters) => callIam(url, { Action: action, Version: "2010-05-08", ...parameters }),
    tagsOf: (resource) => findTags(url, resource),
  };
}

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
}

function toRequest(line: string): AwsRequest {
  const { method, url, headers, body: encoded } = JSON.parse(line) as Recorded;
  const body = Buffer.from(encoded, "base64").toString();
  const action = headers["X-Amz-Target"]?.split(".")[1] ?? new URLSearchParams(body).get("Action");
  const { pathname, search } = new URL(url);
  return { action: action ?? `${method} ${pathname}${search.replace(/[=&].*/, "")}`, body };
}

export const ACCOUNT = "123456789012";

const authorizationFor = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=e2e/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=e2e`;

const FORM = { "content-type": "application/x-www-form-urlencoded" };

async function callIam(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const headers = { authorization: authorizationFor("iam"), ...FORM };
  const answer = await fetch(url, { method: "POST", body: String(new URLSearchParams(form)), headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function findTags(url: string, { service, name }: CloudResource): Promise<Record<string, string> | undefined> {
  const authorization = authorizationFor(service);
  const post = (body: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(url, { method: "POST", body, headers: { authorization, ...headers } });
  const ask = {
    s3: () => fetch(`${url}/${name}?tagging`, { headers: { authorization } }),
    rds: () => {
      const arn = `arn:aws:rds:${REGION}:${ACCOUNT}:pg:${name}`;
      const form = { Action: "ListTagsForResource", Version: "2014-10-31", ResourceName: arn };
      return post(String(new URLSearchParams(form)), FORM);
    },
    dynamodb: () =>
      post(JSON.stringify({ ResourceArn: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}` }), {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "DynamoDB_20120810.ListTagsOfResource",
      }),
  };
  const answer = await ask[service]();
  const text = await answer.text();
  if (answer.ok) return Object.fromEntries([...text.matchAll(TAG)].map(([, key = "", value = ""]) => [key, value]));
  return text.includes("NoSuchTagSet") ? {} : undefined;
}

/** In XML and in JSON. */
const TAG = /Key(?:>|": ?")(?<key>[^<"]+)\W+(?:Key>\s*)?\W*Value(?:>|": ?")(?<value>[^<"]*)/g;
