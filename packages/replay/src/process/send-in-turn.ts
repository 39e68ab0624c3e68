import { type Crossing, describeError, type RunBeside, toReenactError } from '@reenact/trace-model';
import { RUNS_LISTED_MAX, SERVER_BESIDE_MS_MAX } from '../limits.ts';
import { runName } from '../recorded/run-name.ts';
import type { Pace } from '../time/schedule/pace.ts';
import type { EntrySender } from './entry-sender.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { awaitListening, type Listening } from './listening-file.ts';
import type { CountedRuns } from './report-counter.ts';

/** Another request that came to the process of the one that is replayed, before it or beside it (docs/adr/0050). */
export interface EntryBeside {
  readonly run: RunBeside;
  /** How it is sent; the error where it cannot be, because not all of it was kept. */
  readonly entry: ListeningEntry | Error;
}

/** What the requests of one process are sent by. */
export interface SendingInTurn {
  /** The one that is replayed, and where it goes. */
  readonly entry: ListeningEntry;
  readonly place: Listening;
  /** In the order in which they came. */
  readonly beside: readonly EntryBeside[];
  readonly pace: Pace | undefined;
  readonly sender: EntrySender;
  /** Aborts when the child has ended. */
  readonly ended: AbortSignal;
}

interface Turn {
  readonly root: Crossing;
  readonly runs: CountedRuns;
  readonly send: () => Promise<void>;
}

interface Sent {
  readonly endUnixNano: bigint;
  readonly over: Promise<void>;
}

async function sendBeside({ run, entry }: EntryBeside, { sender, ended }: SendingInTurn): Promise<string[]> {
  if (entry instanceof Error) return [`It was not sent: ${entry.message}`];
  const limit = AbortSignal.any([ended, AbortSignal.timeout(SERVER_BESIDE_MS_MAX)]);
  const listening = await awaitListening(entry.directory, entry.server, limit);
  if (listening === undefined) return ['It was not sent: nothing listens where it came in.'];
  return sender.send(entry, listening, { rootSpanId: run.root.spanId });
}

/** Sends it; what is to be said of it is added to `notes`, of few of them. Never rejects. */
async function tellOfBeside(beside: EntryBeside, sending: SendingInTurn, notes: string[]): Promise<void> {
  const told = await sendBeside(beside, sending).catch((error: unknown) => [
    `It could not be sent: ${describeError(toReenactError(error))}`,
  ]);
  for (const note of told) if (notes.length < RUNS_LISTED_MAX) notes.push(`In ${runName(beside.run)}: ${note}`);
}

/** At the recorded pace nothing says when one is due: it comes once those have ended that had ended by then. */
function endedBefore(sent: readonly Sent[], { startTimeUnixNano }: Crossing): Promise<unknown> {
  return Promise.all(sent.filter(({ endUnixNano }) => endUnixNano <= startTimeUnixNano).map(({ over }) => over));
}

/**
 * Sends the requests of one process in the order in which they came, each when the child says that it is due: those that were side by side are so again.
 * Resolves once the one that is replayed has come to its end, with what is to be said. Rejects only where that one cannot be sent.
 */
export async function sendInTurn(sending: SendingInTurn): Promise<string[]> {
  const { entry, place, beside, pace, sender, ended } = sending;
  const notes: string[] = [];
  const own = Promise.withResolvers<void>();
  const sendOwn = async (): Promise<void> => {
    notes.push(...(await sender.send(entry, place, 'replayed')));
  };
  const ownTurn: Turn = { root: entry.root, runs: 'replayed', send: () => sendOwn().then(own.resolve, own.reject) };
  const turns = [
    ownTurn,
    ...beside.map((one): Turn => {
      const { root } = one.run;
      return { root, runs: { rootSpanId: root.spanId }, send: () => tellOfBeside(one, sending, notes) };
    }),
  ].sort((left, right) => Number(left.root.startTimeUnixNano - right.root.startTimeUnixNano));
  const sent: Sent[] = [];
  const sendAll = async (): Promise<void> => {
    for (const [index, { root, runs, send }] of turns.entries()) {
      if (pace === 'recorded') await endedBefore(sent, root);
      else if (index > 0) await sender.whenDue(runs);
      if (ended.aborted) return;
      sent.push({ endUnixNano: root.endTimeUnixNano, over: send() });
    }
  };
  const all = sendAll();
  await Promise.race([own.promise, all.then(() => own.promise), aborted(ended)]);
  return notes;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
