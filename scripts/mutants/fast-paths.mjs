/**
 * A plugin of StrykerJS that leaves out fast paths: functions for short texts and entries, whose slow path gives the same answer.
 * No test can tell their mutants from them, since both are right: the benches do. JavaScript, as sample.mjs is.
 */

const FAST = /^readShort\w+$/;

const nameOf = ({ id, key }) => id?.name ?? key?.id?.name ?? key?.name ?? "";

const fastPaths = {
  shouldIgnore: (path) =>
    path.isFunction() && FAST.test(nameOf(path.node))
      ? "a fast path, whose slow path gives the same answer"
      : undefined,
};

export const strykerPlugins = [{ kind: "Ignore", name: "fast-paths", value: fastPaths }];
