import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The files of one version of a provider. */
export interface Source {
  /** The version and its date, as a person would look it up. */
  readonly version: string;
  /** The files below a folder. */
  list(folder: string): readonly string[];
  /** The contents of files, by path. */
  read(paths: readonly string[]): ReadonlyMap<string, string>;
}

/** Opens a checkout or a bare git directory, at HEAD, or a folder such as that of a Go module, `provider-aws@v0.50.0`. */
export const openSource = (directory: string): Source =>
  existsSync(join(directory, ".git")) || existsSync(join(directory, "HEAD"))
    ? openGit(directory)
    : openFolder(directory);

function openGit(directory: string): Source {
  const git = (args: readonly string[], input?: string): Buffer => {
    const { status, stdout, stderr } = spawnSync("git", ["-C", directory, ...args], { input, maxBuffer: 2 ** 30 });
    if (status !== 0) throw new Error(`cannot run git ${args.join(" ")} in ${directory}: ${stderr}`);
    return stdout;
  };
  const text = (...args: readonly string[]): string => git(args).toString().trim();
  return {
    version: `${text("describe", "--tags", "--always")} of ${text("log", "-1", "--format=%cs")}`,
    list: (folder) => text("ls-tree", "-r", "--name-only", "HEAD", `${folder}/`).split("\n").filter(Boolean),
    read: (paths) => toContents(paths, git(["cat-file", "--batch"], paths.map((path) => `HEAD:${path}\n`).join(""))),
  };
}

/** Reads the answer of `git cat-file --batch`: for each object a line that ends with its size, the object, and a line break. */
function toContents(paths: readonly string[], answer: Buffer): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  let position = 0;
  for (const path of paths) {
    const end = answer.indexOf("\n", position);
    const size = Number(answer.toString("utf8", position, end).split(" ").at(-1));
    if (Number.isNaN(size)) throw new Error(`cannot read ${path}: ${answer.toString("utf8", position, end)}`);
    contents.set(path, answer.toString("utf8", end + 1, end + 1 + size));
    position = end + size + 2;
  }
  return contents;
}

function openFolder(directory: string): Source {
  const version = basename(directory).split("@").at(-1) ?? "";
  return {
    version,
    list: (folder) => readdirSync(join(directory, folder)).map((file) => join(folder, file)),
    read: (paths) => new Map(paths.map((path) => [path, readFileSync(join(directory, path), "utf8")])),
  };
}
