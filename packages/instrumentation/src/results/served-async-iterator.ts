import type { Outcome, StreamChunk } from '@reenact/trace-model';
import { chunkAsServed, type StubAdmission, servedChunk, servedValue } from './served-value.ts';

type StreamOutcome = Extract<Outcome, { chunks: unknown }>;
type Result = IteratorResult<unknown, unknown>;

const asyncGeneratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf((async function* () {})()) as object,
) as object;

/** Plays one recorded stream to one reader. */
class StreamPlayer {
  private readonly admission: StubAdmission;
  private readonly outcome: StreamOutcome;
  private readonly served: ReturnType<typeof chunkAsServed>[] = [];
  private isDone = false;
  /** Reads are answered one after the other, as a generator answers them. */
  private lastRead: Promise<unknown> = Promise.resolve();
  private readonly stopped: Promise<Result>;
  private stop: (result: Result) => void = () => {};

  constructor(admission: StubAdmission, outcome: StreamOutcome) {
    this.admission = admission;
    this.outcome = outcome;
    this.stopped = new Promise((resolve) => {
      this.stop = resolve;
    });
  }

  next(): Promise<Result> {
    const read = this.lastRead.then(() => this.read());
    this.lastRead = read.catch(() => undefined);
    return read;
  }

  private async read(): Promise<Result> {
    if (this.isDone) return { value: undefined, done: true };
    const chunk = this.outcome.chunks[this.served.length];
    return Promise.race([chunk === undefined ? this.end() : this.play(chunk), this.stopped]);
  }

  private async play(chunk: StreamChunk): Promise<Result> {
    const { admission } = this;
    await admission.release.at(chunk.offsetUs);
    if (this.isDone) return this.stopped;
    const value = this.orFail(() => servedChunk(admission, chunk));
    this.served.push(chunkAsServed(chunk));
    return { value, done: false };
  }

  private orFail(make: () => unknown): unknown {
    try {
      return make();
    } catch (error) {
      this.isDone = true;
      this.admission.crossing.settle({ type: 'failed', chunks: this.served, error });
      throw error;
    }
  }

  private async end(): Promise<Result> {
    const { admission, outcome, served } = this;
    // The consumer went away while it was recorded: it is left waiting here until it goes away again.
    if (outcome.type === 'aborted') return this.stopped;
    await admission.release.settle();
    if (this.isDone) return this.stopped;
    if (outcome.type === 'failed') {
      const error = this.orFail(() => servedValue(admission, outcome.error, 'The error'));
      this.isDone = true;
      admission.crossing.settle({ type: 'failed', chunks: served, error });
      throw error;
    }
    const recorded = outcome.value;
    const value =
      recorded === undefined ? undefined : this.orFail(() => servedValue(admission, recorded, 'The return value'));
    this.isDone = true;
    admission.crossing.settle({ type: 'ended', chunks: served, value });
    return { value, done: true };
  }

  /** The consumer stops: whatever still waits is answered, nothing more is served. */
  close(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.admission.crossing.settle({ type: 'aborted', chunks: this.served });
    this.stop({ value: undefined, done: true });
  }
}

/** Yields the recorded chunks of an asynchronous iterator when the replay releases them, and ends as it ended. */
export function servedAsyncIterator(
  admission: StubAdmission,
  outcome: StreamOutcome,
): AsyncGenerator<unknown, unknown, unknown> {
  const player = new StreamPlayer(admission, outcome);
  const iterator: object = Object.create(asyncGeneratorPrototype, {
    next: { value: () => player.next() },
    return: {
      value: async (value: unknown) => {
        player.close();
        return { value: await value, done: true };
      },
    },
    throw: {
      value: async (error: unknown) => {
        player.close();
        throw error;
      },
    },
  });
  return iterator as AsyncGenerator<unknown, unknown, unknown>;
}
