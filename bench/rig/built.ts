/**
 * A module of dist/: what is timed is what is shipped, not what tsx makes of src/ on the way.
 *
 * @param path below src/, without its ending
 */
export const built = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../dist/${path}.js`, import.meta.url).href) as Promise<Module>;
