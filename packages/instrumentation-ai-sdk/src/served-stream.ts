import { membersOf, type StubAdmission, serveStub, unlessAborted } from '@reenact/instrumentation';

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
