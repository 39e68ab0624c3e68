import { gate, installDedicatedPlayer } from '@reenact/instrumentation';
import { buildReport, makePlan, RecordedPlayer, type ReportInput } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import type { Peer } from '../fidelity-library.ts';
import type { FidelityHost } from '../record-then-replay.ts';
import type { EntryCase, EntryLibrary, EntryQuestion, SeenAnswer } from './entry-library.ts';
import { type MakeTool, workOver } from './entry-work.ts';

/** How many turns of the event loop a run may take to end after its client has gone. */
const TURNS_MAX = 2_000;

/** One question, the answer that was recorded, and what a replay of its run gave. */
export interface EntryRun {
  readonly question: EntryQuestion;
  readonly seen: SeenAnswer;
  readonly recording: Recording;
  readonly seenAgain: SeenAnswer;
  readonly report: ReplayReport;
  /** Whatever reached the peer during the replay. */
  readonly contactsInReplay: number;
}

/** The questions of a case, and whether they are asked at once. */
export function questionsOf(asks: EntryCase): { readonly markers: readonly string[]; readonly isAtOnce: boolean } {
  switch (asks) {
    case '429 then success':
      return { markers: ['turned-away', 'answered'], isAtOnce: false };
    case 'reverse parallel':
      return { markers: ['first', 'second', 'third'], isAtOnce: true };
    case 'call':
    case 'streamed answer':
    case 'client leaves':
    case 'mid-stream error':
    case 'timeout':
    case 'nested tools':
      return { markers: ['only'], isAtOnce: false };
  }
}

/** Asks all questions of a case and gives what the clients saw. */
export async function askAll(
  library: EntryLibrary,
  peer: Peer,
  asks: EntryCase,
  makeTool?: MakeTool,
): Promise<SeenAnswer[]> {
  const { markers, isAtOnce } = questionsOf(asks);
  const server = await library.start(workOver(peer, makeTool));
  try {
    const ask = (marker: string): Promise<SeenAnswer> => library.ask(server.port, { asks, marker });
    if (isAtOnce) return await Promise.all(markers.map(ask));
    const seen: SeenAnswer[] = [];
    for (const marker of markers) seen.push(await ask(marker));
    return seen;
  } finally {
    await server.stop();
  }
}

/** Asks one question of a server whose code is answered from the recording, and of nothing else. */
async function askAgain(
  library: EntryLibrary,
  peer: Peer,
  question: EntryQuestion,
  recording: Recording,
): Promise<Pick<EntryRun, 'seenAgain' | 'report'>> {
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  const events: ReportInput['events'][number][] = [];
  const sink = {
    write: (event: ReportInput['events'][number]['event']) =>
      void events.push({ processId: '1', atUs: events.length, event }),
  };
  const replayId = 'replay-1';
  const plan = makePlan({}, recording);
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId, process: 'dedicated', sink });
  const uninstall = installDedicatedPlayer(player);
  try {
    const server = await library.start(workOver(peer));
    const seenAgain = await library.ask(server.port, question);
    for (let turn = 0; gate.hasOpenCrossings() && turn < TURNS_MAX; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await server.stop();
    const report = buildReport({ recording, rootSpanId, replayId, process: 'dedicated', events, durationMs: 1 });
    return { seenAgain, report };
  } finally {
    uninstall();
  }
}

/** Records the runs of a case, then replays each by itself. */
export async function recordThenAskAgain(
  library: EntryLibrary,
  host: FidelityHost,
  peer: Peer,
  asks: EntryCase,
): Promise<EntryRun[]> {
  const seen = await askAll(library, peer, asks);
  const recordings = await host.recordings();
  const runs: EntryRun[] = [];
  for (const [index, marker] of questionsOf(asks).markers.entries()) {
    const asked = `"${marker}"`;
    const own = recordings.filter(({ crossings }) => crossings.some(({ input }) => input?.data?.includes(asked)));
    const [recording] = own;
    const answer = seen[index];
    if (own.length !== 1 || recording === undefined || answer === undefined) {
      throw new TypeError(`${own.length} recordings of the question "${marker}", of ${recordings.length}.`);
    }
    const question = { asks, marker };
    const contacts = peer.contacts;
    const again = await askAgain(library, peer, question, recording);
    runs.push({ question, seen: answer, recording, ...again, contactsInReplay: peer.contacts - contacts });
  }
  return runs;
}
