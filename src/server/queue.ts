/** Work in the order of turns: one piece for each connection, then the next one for each. */
interface Queue<Connection> {
  readonly add: (connection: Connection, work: () => void) => void;
  readonly take: () => (() => void) | undefined;
  readonly hasWork: () => boolean;
}

export function createQueue<Connection>(): Queue<Connection> {
  const waiting = new Map<Connection, (() => void)[]>();
  return {
    add: (connection, work) => {
      const queue = waiting.get(connection);
      if (queue) queue.push(work);
      else waiting.set(connection, [work]);
    },
    take: () => {
      for (const [connection, queue] of waiting) {
        const work = queue.shift();
        waiting.delete(connection);
        if (queue.length > 0) waiting.set(connection, queue); // behind the others
        return work;
      }
      return undefined;
    },
    hasWork: () => waiting.size > 0,
  };
}
