/** Told what passes through a stream. None of it may throw. */
export interface PartsTap {
  part(value: unknown): void;
  ended(): void;
  failed(error: unknown): void;
  cancelled(): void;
  /** Nobody reads the stream any more, and nobody can. */
  dropped(): void;
}

const droppedStreams = new FinalizationRegistry<PartsTap>((tap) => tap.dropped());

/**
 * The stream with every part shown to `tap` as it passes: nothing is read ahead or held back, a cancel reaches the source, and
 * the end is told before the reader learns of it. `within` runs what the source does, so that it finds its context.
 */
export function tappedParts(
  source: ReadableStream<unknown>,
  tap: PartsTap,
  within: <Result>(act: () => Result) => Result,
): ReadableStream<unknown> {
  const reader = source.getReader();
  const token = {};
  const stream = new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await within(() => reader.read());
          if (!done) {
            tap.part(value);
            controller.enqueue(value);
            return;
          }
          tap.ended();
          controller.close();
        } catch (error) {
          tap.failed(error);
          controller.error(error);
        }
        droppedStreams.unregister(token);
      },
      async cancel(reason) {
        droppedStreams.unregister(token);
        try {
          await within(() => reader.cancel(reason));
        } finally {
          tap.cancelled();
        }
      },
    },
    { highWaterMark: 0 },
  );
  droppedStreams.register(stream, tap, token);
  return stream;
}
