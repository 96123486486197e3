/** Quotes a text for sh unless it is a plain word. Operators run commands with names that tenants choose. */
export const toWord = (text: string): string =>
  /^[-\w@%+=:,./]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Joins the words of a command, quoted where necessary. */
export const toCommand = (...words: readonly string[]): string => words.map(toWord).join(" ");
