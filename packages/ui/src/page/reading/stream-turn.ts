import { sleepUnless } from '@reenact/collector-client/collector-questions';

/** Streams that the windows of one browser hold at one time: of its six connections to a collector without TLS, two are left for questions. */
const STREAMS_MAX = 4;

/** How long a window keeps its stream while another waits for one, milliseconds. */
const TURN_MS = 2_000;

/** How long a window waits behind another before it looks for a shorter queue, milliseconds: one that was stopped gives nothing back. */
const PATIENCE_MS = 4 * TURN_MS;

/** The same where windows cannot know of each other: each holds its stream for so long, then gives its connection back for a moment. */
const UNTOLD_TURN_MS = 8_000;
const UNTOLD_PAUSE_MS = 1_000;

/** The queues: the locks of a browser are those of an address, whoever looks at it with whatever token. */
const NAMES = Array.from({ length: STREAMS_MAX }, (_, number) => `reenact.stream.${number}`);

/** That this window may hold a stream. */
export interface StreamTurn {
  /** Aborted once it is another window's turn. */
  readonly over: AbortSignal;
  /** To be called when the stream is there: a turn is no shorter for a collector that is slow to answer. */
  onConnected(): void;
  /** Gives it back; resolves once it is another's. */
  end(): Promise<void>;
}

async function shortestQueue(locks: LockManager, avoided: string | undefined): Promise<string> {
  const { held = [], pending = [] } = await locks.query();
  const lengthOf = (queue: string): number => [...held, ...pending].filter(({ name }) => name === queue).length;
  const others = NAMES.filter((name) => name !== avoided);
  return others.reduce((best, name) => (lengthOf(name) < lengthOf(best) ? name : best));
}

async function isAwaited(locks: LockManager, queue: string): Promise<boolean> {
  const { pending = [] } = await locks.query();
  return pending.some(({ name }) => name === queue);
}

/** A turn that ends when another window waits in its queue. */
function awaitedTurn(locks: LockManager, queue: string, release: () => Promise<void>): StreamTurn {
  const over = new AbortController();
  let looking: ReturnType<typeof setInterval> | undefined;
  const look = (): void => {
    isAwaited(locks, queue).then(
      (isOver) => isOver && over.abort(),
      // Whether another waits is not known any more: the next turn goes by the clock.
      () => over.abort(),
    );
  };
  const onConnected = (): void => {
    looking ??= setInterval(look, TURN_MS);
  };
  const end = (): Promise<void> => {
    clearInterval(looking);
    return release();
  };
  return { over: over.signal, onConnected, end };
}

/** The turn of one queue; undefined where that takes too long, or is not wanted any more. */
function turnIn(queue: string, locks: LockManager, signal: AbortSignal): Promise<StreamTurn | undefined> {
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> =>
      new Promise((letGo) => {
        const release = (): Promise<void> => {
          letGo();
          return held;
        };
        resolve(awaitedTurn(locks, queue, release));
      });
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const held: Promise<void> = locks
      .request(queue, { signal: waiting }, hold)
      .catch((refused: unknown) => (waiting.aborted ? resolve(undefined) : reject(refused)));
  });
}

/** A turn by the clock alone: pages of addresses without TLS that are not this machine's have no locks, and a browser may refuse them. */
async function untoldTurn(signal: AbortSignal, isFirst: boolean): Promise<StreamTurn | undefined> {
  if (!isFirst) await sleepUnless(signal, UNTOLD_PAUSE_MS);
  if (signal.aborted) return undefined;
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onConnected = (): void => {
    timer ??= setTimeout(() => over.abort(), UNTOLD_TURN_MS);
  };
  const end = (): Promise<void> => {
    clearTimeout(timer);
    return Promise.resolve();
  };
  return { over: over.signal, onConnected, end };
}

async function toldTurn(locks: LockManager, signal: AbortSignal): Promise<StreamTurn | undefined> {
  let avoided: string | undefined;
  while (!signal.aborted) {
    const queue = await shortestQueue(locks, avoided);
    const turn = await turnIn(queue, locks, signal);
    if (turn !== undefined) return turn;
    avoided = queue;
  }
  return undefined;
}

/** Waits until this window may hold a stream; undefined where that is not wanted any more. */
export async function takeStreamTurn(signal: AbortSignal, isFirst: boolean): Promise<StreamTurn | undefined> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined) return untoldTurn(signal, isFirst);
  try {
    return await toldTurn(locks, signal);
  } catch {
    return untoldTurn(signal, isFirst);
  }
}
