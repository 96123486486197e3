/** Makes something when it is first asked for, and once. */
export function lazy<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Makes something of an object once, however often it is asked for: a list that a request holds may be long, and each of a
 * thousand copies may ask for it. What is made goes with the object.
 *
 * @param make depends on the object alone, which nobody changes: an answer must not reach another request.
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
