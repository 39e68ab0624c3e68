import { membersOf, type StubAdmission, serveStub } from '@reenact/instrumentation';

/** Settles as `awaited` does, or rejects when the signal aborts first, without leaving a listener behind. */
async function unlessAborted<Value>(awaited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
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

/** The recorded parts as the stream a model would have given, with what came beside it. */
export async function servedStream(admission: StubAdmission, signal: AbortSignal | undefined): Promise<unknown> {
  const parts = (await serveStub(admission)) as AsyncGenerator<unknown>;
  const head = await unlessAborted(parts.next(), signal);
  const stream = new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await unlessAborted(parts.next(), signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          await parts.return(undefined);
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return { ...membersOf(head.value), stream };
}
