import { type Crossing, describeError, type RunBeside, toReenactError } from '@reenact/trace-model';
import { RUNS_LISTED_MAX, SERVER_BESIDE_MS_MAX } from '../limits.ts';
import { runName } from '../recorded/run-name.ts';
import type { EntrySender } from './entry-sender.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { awaitListening } from './listening-file.ts';

/** A request that is sent to the command before the one that is replayed (docs/adr/0050). */
export interface EntryBefore {
  readonly run: RunBeside;
  /** How it is sent; the error where it cannot be, because not all of it was kept. */
  readonly entry: ListeningEntry | Error;
}

interface Sent {
  readonly endUnixNano: bigint;
  readonly over: Promise<void>;
}

async function send({ run, entry }: EntryBefore, sender: EntrySender, ended: AbortSignal): Promise<string[]> {
  if (entry instanceof Error) return [`It was not sent: ${entry.message}`];
  const limit = AbortSignal.any([ended, AbortSignal.timeout(SERVER_BESIDE_MS_MAX)]);
  const listening = await awaitListening(entry.directory, entry.server, limit);
  if (listening === undefined) return ['It was not sent: nothing listens where it came in.'];
  return sender.send(entry, listening, { rootSpanId: run.root.spanId });
}

/** Those that had ended before a run began left in memory what it finds there; those beside it go on. */
function endedBefore(sent: readonly Sent[], { startTimeUnixNano }: Crossing): Promise<unknown> {
  return Promise.all(sent.filter(({ endUnixNano }) => endUnixNano <= startTimeUnixNano).map(({ over }) => over));
}

/** What the sending of such requests goes by. */
export interface SendingBefore {
  /** In the order in which they came. */
  readonly before: readonly EntryBefore[];
  /** What is sent behind them. */
  readonly root: Crossing;
  readonly sender: EntrySender;
  /** Aborts when the child has ended. */
  readonly ended: AbortSignal;
}

/**
 * Sends requests in the order in which they came: each once those have ended that had ended by then, so that those side by side are
 * side by side again. Resolves when `root` may be sent. What is to be said of them is added to `notes`, of few of them. Never rejects.
 */
export async function sendBefore({ before, root, sender, ended }: SendingBefore, notes: string[]): Promise<void> {
  const sent: Sent[] = [];
  for (const one of before) {
    await endedBefore(sent, one.run.root);
    if (ended.aborted) return;
    const over = send(one, sender, ended)
      .catch((error: unknown) => [`It could not be sent: ${describeError(toReenactError(error))}`])
      .then((told) => {
        for (const note of told) if (notes.length < RUNS_LISTED_MAX) notes.push(`In ${runName(one.run)}: ${note}`);
      });
    sent.push({ endUnixNano: one.run.root.endTimeUnixNano, over });
  }
  await endedBefore(sent, root);
}
