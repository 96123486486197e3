/** Items in the order of turns: one of each connection, then the next one of each. */
interface Queue<Connection, Item> {
  readonly add: (connection: Connection, item: Item) => void;
  readonly take: () => Item | undefined;
  readonly hasNext: () => boolean;
}

export function createQueue<Connection, Item>(): Queue<Connection, Item> {
  const waiting = new Map<Connection, Item[]>();
  return {
    add: (connection, item) => {
      const items = waiting.get(connection);
      if (items) items.push(item);
      else waiting.set(connection, [item]);
    },
    take: () => {
      for (const [connection, items] of waiting) {
        const item = items.shift();
        waiting.delete(connection);
        if (items.length > 0) waiting.set(connection, items); // behind the others
        return item;
      }
      return undefined;
    },
    hasNext: () => waiting.size > 0,
  };
}
