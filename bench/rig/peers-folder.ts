/** Where the packages of bench/package.json are installed: git-ignored, and apart from the function's own. */
export const peersFolder = new URL("../../.cache/bench/peers/", import.meta.url);
