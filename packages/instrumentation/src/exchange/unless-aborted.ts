/** Settles as `awaited` does, or rejects when the signal aborts first, without leaving a listener behind. */
export async function unlessAborted<Value>(awaited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return awaited;
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([awaited, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
