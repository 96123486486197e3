/**
 * Quotes a text for sh, unless it is a word as it is. Every command that is printed takes by this what it did not write itself: tenants choose
 * names, labels and annotations, and an operator runs the command.
 */
export const toWord = (text: string): string =>
  /^[-\w@%+=:,./]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Joins the words of a command, each quoted where it has to be. */
export const toCommand = (...words: readonly string[]): string => words.map(toWord).join(" ");
