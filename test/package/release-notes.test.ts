import { describe, expect, test } from "vitest";
import { isPreRelease, releaseNotes } from "../../scripts/package/release-notes.ts";

const changelog = `# Changelog

Its form.

## Unreleased

- Not yet.

## v1.2.0 – 2026-02-01

### Added

- More ([docs](docs/input.md#more), [issue](https://example.org/7)).

## [1.1.0] - 2026-01-01

- Less.

## v1.0.0
`;
const source = "https://github.com/acme/function";
const notesOf = (tag: string): string => releaseNotes({ changelog, tag, source });

describe("the notes of a release", () => {
  test("are its section of the changelog, with links that lead to the files of its tag", () => {
    const links = `[docs](${source}/blob/v1.2.0/docs/input.md#more), [issue](https://example.org/7)`;
    expect(notesOf("v1.2.0")).toBe(`### Added\n\n- More (${links}).\n`);
  });

  test.each([
    { reason: "a title may have brackets, as in Keep a Changelog", tag: "v1.1.0", notes: "- Less.\n" },
    { reason: "a pre-release without a section has what is unreleased", tag: "v1.3.0-rc.1", notes: "- Not yet.\n" },
  ])("of $tag: $reason", ({ tag, notes }) => {
    expect(notesOf(tag)).toBe(notes);
  });

  test.each([
    { tag: "v1.3.0", reason: "there is no section of its own" },
    { tag: "v1.0.0", reason: "its section is empty" },
  ])("of $tag are refused, since $reason", ({ tag }) => {
    expect(() => notesOf(tag)).toThrow(`cannot find the changes of ${tag} in CHANGELOG.md`);
  });
});

test("a tag with a suffix is a pre-release", () => {
  expect(["v1.2.3", "v1.2.3-rc.1"].filter(isPreRelease)).toEqual(["v1.2.3-rc.1"]);
});
