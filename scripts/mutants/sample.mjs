/**
 * A plugin of StrykerJS that tries every n-th mutant of a folder only: a "checker", which Stryker asks before it tries a mutant.
 * Those that are left out count as errors in its table, and not in the score. JavaScript, because Stryker's own processes load it.
 */

/** Which of `total` are taken, `count` of them at even distances. */
export const evenly = (total, count) =>
  new Set(Array.from({ length: Math.min(count, total) }, (_, index) => Math.floor(((index + 0.5) * total) / count)));

const LEFT_OUT = { status: "compileError", reason: "not in the sample" };

class Sample {
  static inject = ["options"];
  #count;
  #taken = new Set();

  constructor(options) {
    this.#count = options.sample;
  }

  async init() {}

  /** Stryker asks once, with all mutants, how to put them into groups; so this is where they are counted. */
  async group(mutants) {
    const ids = mutants.toSorted(byPlace).map(({ id }) => id);
    const places = evenly(ids.length, Math.min(this.#count, ids.length));
    this.#taken = new Set(ids.filter((_, place) => places.has(place)));
    return [ids];
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map(({ id }) => [id, this.#taken.has(id) ? { status: "passed" } : LEFT_OUT]));
  }
}

const byPlace = (a, b) =>
  a.fileName.localeCompare(b.fileName) ||
  a.location.start.line - b.location.start.line ||
  a.location.start.column - b.location.start.column ||
  a.replacement.localeCompare(b.replacement);

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: Sample }];
export const strykerValidationSchema = { properties: { sample: { type: "integer" } } };
