/** The folder in which the packages of bench/peers/package.json are installed, apart from the function's own. */
export const peersFolder = new URL("../../.cache/bench/peers/", import.meta.url);
