/** Makes a value at its first use, and keeps it. */
export function lazy<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes a cache by key, such as for one request: returns the cached value, or makes and keeps it. */
export function cache<Made>(): (key: string, make: () => Made) => Made {
  const made = new Map<string, { readonly value: Made }>();
  return (key, make) => {
    const before = made.get(key);
    if (before !== undefined) return before.value;
    const value = make();
    made.set(key, { value });
    return value;
  };
}

/**
 * Caches a function's value per object, such as the index of a list. The value is freed with the object.
 *
 * @param make must depend on the object alone: a value of one request must not reach another.
 */
export function once<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly value: Made }>();
  return (key) => {
    const before = made.get(key);
    if (before !== undefined) return before.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
