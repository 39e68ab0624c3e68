import { types } from 'node:util';
import { ATTR_REENACT_OUTPUT_CLOSED_US as CLOSED_US } from '@reenact/semconv/reenact';
import type { Outcome, StreamChunk } from '@reenact/trace-model';
import type { RawOutcome } from '../gate/gate.ts';
import { eventLoopTurn } from '../host/event-loop-turn.ts';
import { TURNS_READ_AHEAD } from '../limits.ts';
import { chunkAsServed, type StubAdmission, servedChunk, servedValue } from './served-value.ts';

type StreamOutcome = Extract<Outcome, { chunks: unknown }>;
type Result = IteratorResult<unknown, unknown>;
type Read = PromiseWithResolvers<Result> & { isAsked: boolean; isDue: boolean; microtasks?: number | undefined };
/** What was asked for after its reader had closed it. What is given to `return` is waited for, a round of reactions at least. */
interface Late {
  readonly takesRound: boolean;
  give(): void;
}

const done = Promise.resolve();

const asyncGeneratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf((async function* () {})()) as object,
) as object;

function over(): Result {
  return { value: undefined, done: true };
}

/** What is given to `return` is waited for. */
function resolveWith({ resolve, reject }: PromiseWithResolvers<Result>, given: unknown): void {
  if (types.isPromise(given)) given.then((value) => resolve({ value, done: true }), reject);
  else resolve({ value: given, done: true });
}

/** Whether what was thrown in came out again: of a copy nobody could tell that it is the same. */
function isSameError(given: unknown, recorded: unknown): boolean {
  if (!(given instanceof Error && recorded instanceof Error)) return Object.is(given, recorded);
  return given.name === recorded.name && given.message === recorded.message;
}

/**
 * Plays one recorded stream to one reader. Each step takes as many rounds of promise reactions as when it was recorded, where the event loop did not
 * turn: what a release brings is given by a reaction to that very promise, and by nothing else.
 */
class StreamPlayer {
  private readonly admission: StubAdmission;
  private readonly outcome: StreamOutcome;
  private readonly served: ReturnType<typeof chunkAsServed>[] = [];
  private asked = 0;
  /** How many rounds of promise reactions what is given now came after it was asked for; undefined where the event loop turned. */
  private microtasks: number | undefined;
  private isDone = false;
  private leaving: Promise<number | undefined> | undefined;
  /** Reads are answered one after the other, as a generator answers them. */
  private reads: Read[] = [];
  /** What is answered after it has closed, as a generator answers it; undefined while nothing closes it. */
  private late: Late[] | undefined;

  constructor(admission: StubAdmission, outcome: StreamOutcome) {
    this.admission = admission;
    this.outcome = outcome;
  }

  next(): Promise<Result> {
    const read: Read = { ...Promise.withResolvers<Result>(), isAsked: false, isDue: false };
    if (this.late !== undefined) {
      this.late.push({ takesRound: false, give: () => read.resolve(over()) });
      return read.promise;
    }
    if (this.isDone) {
      void done.then(() => read.resolve(over()));
      return read.promise;
    }
    this.reads.push(read);
    this.ask();
    return read.promise;
  }

  /** Asks for the first read that is not asked for. What came in a turn of its own is asked for when what comes before it is given. */
  private ask(): void {
    const index = this.reads.findIndex(({ isAsked }) => !isAsked);
    const read = this.reads[index];
    const chunk = this.outcome.chunks[this.asked];
    const { settledMicrotasks } = this.admission.recorded;
    const microtasks = chunk === undefined ? settledMicrotasks : chunk.microtasks;
    if (read === undefined || (index > 0 && microtasks === undefined)) return;
    read.isAsked = true;
    const due = this.dueOf(chunk);
    this.asked += 1;
    due?.then(
      (microtasks) => this.due(read, microtasks),
      (error) => {
        this.reads = this.reads.filter((other) => other !== read);
        read.reject(error);
      },
    );
  }

  /** Resolves when it is due; undefined where nothing but what comes before it ends this read. */
  private dueOf(chunk: StreamChunk | undefined): Promise<number | undefined> | undefined {
    const { admission, outcome } = this;
    if (chunk !== undefined) return admission.release.at(chunk.offsetUs, chunk.microtasks);
    if (outcome.type === 'aborted') {
      if (outcome.reader === 'satisfied') void this.goBeyond();
      // Else it waited when it went away, as far as is known: it is left waiting here until it goes away again.
      return undefined;
    }
    return this.asked > outcome.chunks.length ? undefined : admission.release.settle();
  }

  /** The moment at which its reader had left it, once. */
  private left(): Promise<number | undefined> {
    this.leaving ??= this.admission.release.settle();
    return this.leaving;
  }

  /** Whoever asks for more than the recorded reader did is refused, unless it calls that off by when that one had left, or a moment later. */
  private async goBeyond(): Promise<void> {
    const { admission, outcome } = this;
    // One that nobody closed was left at no moment that is known.
    if (admission.recorded.settled !== undefined) await this.left().catch(() => undefined);
    for (let turn = 0; turn < TURNS_READ_AHEAD && this.isOpen; turn += 1) await eventLoopTurn();
    if (!this.isOpen) return;
    const error = admission.exhausted(
      `It is read further than when it was recorded, where its reader left it after ${outcome.chunks.length} values.`,
    );
    this.isDone = true;
    this.settle({ type: 'failed', chunks: this.served, error });
    this.reads.shift()?.reject(error);
    this.dropReads();
  }

  /** Neither over nor being closed. */
  private get isOpen(): boolean {
    return !this.isDone && this.late === undefined;
  }

  private due(read: Read, microtasks: number | undefined): void {
    read.isDue = true;
    read.microtasks = microtasks;
    while (this.reads[0]?.isDue === true) {
      this.answer(this.reads.shift());
      this.ask();
    }
  }

  private answer(read: Read | undefined): void {
    try {
      const chunk = this.outcome.chunks[this.served.length];
      this.microtasks = read?.microtasks;
      read?.resolve(chunk === undefined ? this.end() : this.play(chunk));
    } catch (error) {
      this.isDone = true;
      read?.reject(error);
    }
    if (this.isDone) this.dropReads();
  }

  private play(chunk: StreamChunk): Result {
    const value = this.orFail(() => servedChunk(this.admission, chunk));
    this.served.push(chunkAsServed(this.admission, chunk, this.microtasks));
    return { value, done: false };
  }

  private orFail(make: () => unknown): unknown {
    try {
      return make();
    } catch (error) {
      this.settle({ type: 'failed', chunks: this.served, error });
      throw error;
    }
  }

  private settle(outcome: RawOutcome): void {
    const { crossing } = this.admission;
    crossing.settlesAfter(this.microtasks);
    crossing.settle(outcome);
  }

  /** Ends as it ended. `given`: what the consumer threw in where it closes it so. */
  private end(given?: unknown): Result {
    const { admission, outcome, served } = this;
    this.isDone = true;
    if (outcome.type === 'failed') {
      const recorded = this.orFail(() => servedValue(admission, outcome.error, 'The error'));
      const error = isSameError(given, recorded) ? given : recorded;
      this.settle({ type: 'failed', chunks: served, error });
      throw error;
    }
    const recorded = outcome.type === 'ended' ? outcome.value : undefined;
    const value =
      recorded === undefined ? undefined : this.orFail(() => servedValue(admission, recorded, 'The return value'));
    this.settle({ type: 'ended', chunks: served, value });
    return { value, done: true };
  }

  private dropReads(): void {
    for (const { resolve } of this.reads.splice(0)) resolve(over());
  }

  /**
   * The consumer stops. Where it did so when it was recorded, what the stream did to close takes as long, and may fail; else whatever still waits is
   * answered, and nothing more is served.
   */
  close(by: 'return' | 'throw', given: unknown): Promise<Result> {
    const closed = Promise.withResolvers<Result>();
    const give = (): void => (by === 'throw' ? closed.reject(given) : resolveWith(closed, given));
    const { crossing, recorded } = this.admission;
    if (this.late !== undefined) {
      this.late.push({ takesRound: by === 'return', give });
    } else if (!this.isDone && recorded.closedUs !== undefined && this.asked >= this.outcome.chunks.length) {
      this.late = [];
      const closedUs = crossing.elapsedUs();
      this.left().then(
        (microtasks) => {
          try {
            this.microtasks = microtasks;
            crossing.describe({ slim: { [CLOSED_US]: closedUs } });
            const end = this.endClosed(by, given);
            if (end === undefined) give();
            else closed.resolve(end);
          } catch (error) {
            closed.reject(error);
          }
          this.answerLate();
        },
        (error) => {
          closed.reject(error);
          this.answerLate();
        },
      );
    } else {
      this.microtasks = recorded.settledMicrotasks;
      this.abort();
      void done.then(give);
    }
    return closed.promise;
  }

  private answerLate(): void {
    const next = this.late?.shift();
    if (next === undefined) {
      this.late = undefined;
      return;
    }
    const answer = (): void => {
      next.give();
      this.answerLate();
    };
    if (next.takesRound) void done.then(answer);
    else answer();
  }

  /** What it gave where it was closed and did not merely stop. */
  private endClosed(by: 'return' | 'throw', given: unknown): Result | undefined {
    if (this.isDone) return undefined;
    try {
      if (this.outcome.type !== 'aborted') return this.end(by === 'throw' ? given : undefined);
      this.abort();
      return undefined;
    } finally {
      this.dropReads();
    }
  }

  private abort(): void {
    const reader = this.reads.length > 0 ? 'waiting' : 'satisfied';
    if (!this.isDone) this.settle({ type: 'aborted', chunks: this.served, reader });
    this.isDone = true;
    this.dropReads();
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
    return: { value: (value: unknown) => player.close('return', value) },
    throw: { value: (error: unknown) => player.close('throw', error) },
  });
  return iterator as AsyncGenerator<unknown, unknown, unknown>;
}
