/** Quotes a text for sh, unless it is a plain word. Tenants choose names, labels and annotations, and operators run the command. */
export const toWord = (text: string): string =>
  /^[-\w@%+=:,./]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Joins the words of a command, each quoted where it has to be. */
export const toCommand = (...words: readonly string[]): string => words.map(toWord).join(" ");
