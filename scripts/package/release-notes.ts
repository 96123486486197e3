/** The text that a release's notes are cut from, and the release that their links lead to. */
export interface NotesOptions {
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** The release's tag: `v1.2.3` or `v1.2.3-rc.1`. */
  readonly tag: string;
  /** The repository's page: https://HOST/OWNER/NAME. */
  readonly source: string;
}

/**
 * Cuts the section of a version out of the changelog; a pre-release without one has what is unreleased. Links to files lead to the
 * files of that tag.
 *
 * @throws {Error} where the changelog has no such section, or an empty one.
 */
export function releaseNotes({ changelog, tag, source }: NotesOptions): string {
  const sections = new Map(
    changelog.split(/^## /m).map((section) => {
      const [title = "", ...lines] = section.split("\n");
      return [/^\[?v?([^\s\]]+)/.exec(title)?.[1] ?? "", lines.join("\n").trim()] as const;
    }),
  );
  const version = tag.replace(/^v/, "");
  const notes = sections.get(version) ?? (isPreRelease(tag) ? sections.get("Unreleased") : undefined);
  if (!notes) throw new Error(`cannot find the changes of ${tag} in CHANGELOG.md: it needs a section "## ${tag}"`);
  return `${notes.replaceAll(/\]\((?!https?:|#)/g, `](${source}/blob/${tag}/`)}\n`;
}

/** As semantic versions have it: `v1.2.3-rc.1`. */
export const isPreRelease = (tag: string): boolean => tag.includes("-");
