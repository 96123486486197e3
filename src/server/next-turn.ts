/** Makes a function that has `run` run in the next turn of the event loop: once, however often it is called before. */
export function inNextTurn(run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      run();
    });
  };
}
