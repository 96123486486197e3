import { AWS } from "../../src/crossplane/providers/aws.generated.ts";
import { AWS_CLASSIC } from "../../src/crossplane/providers/aws-classic.generated.ts";
import { AZURE } from "../../src/crossplane/providers/azure.generated.ts";
import { GCP } from "../../src/crossplane/providers/gcp.generated.ts";
import { parseEntry, splitTable } from "../../src/crossplane/providers/table.ts";

/** Lists the entries of all tables by `service:Kind`, for documentation and tests. */
export const listTables = () =>
  [AWS, AWS_CLASSIC, AZURE, GCP].map(({ source, kinds }) => ({
    source,
    entries: new Map([...splitTable(kinds)].map(([name, text]) => [name, parseEntry(text)])),
  }));
