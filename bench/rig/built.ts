/**
 * Imports a module of dist/, so that the code that is shipped is timed, and not tsx's translation of src/.
 *
 * @param path below src/, without its ending
 */
export const built = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../dist/src/${path}.js`, import.meta.url).href) as Promise<Module>;
