import { inRepository } from "./layout.ts";
import { run } from "./run.ts";

/** Where the sources of a build lie, as far as it is known. */
export interface Origin {
  /** The repository's page: https://HOST/OWNER/NAME. */
  readonly source?: string;
  /** The commit. */
  readonly revision?: string;
}

/**
 * Reads the origin from a GitHub workflow's environment, or from the checkout: its remote "origin", and its commit
 * unless files were changed since.
 */
export async function readOrigin(env: NodeJS.ProcessEnv = process.env): Promise<Origin> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: sha } = env;
  if (server && repository && sha) return { source: `${server}/${repository}`, revision: sha };
  const source = toPage(await git("remote", "get-url", "origin"));
  const isChanged = (await git("status", "--porcelain")) !== "";
  const revision = isChanged ? "" : await git("rev-parse", "HEAD");
  return { ...(source === undefined ? {} : { source }), ...(revision === "" ? {} : { revision }) };
}

/** @returns what git printed, or nothing where there is no git, no checkout or no such remote. */
const git = (...args: readonly string[]): Promise<string> =>
  run("git", args, { cwd: inRepository(".") }).catch(() => "");

/** The page of a remote, without credentials; none for a remote that is a path. */
export function toPage(remote: string): string | undefined {
  const [, host, path] =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([^/:]+)[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? undefined : `https://${host}/${path}`;
}
