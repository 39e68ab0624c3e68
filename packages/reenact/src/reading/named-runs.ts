import { setTimeout as wait } from 'node:timers/promises';
import { ReenactError } from '@reenact/trace-model';
import type { RunList, RunSummary } from '@reenact/trace-model/collector-api';
import { LATEST_AHEAD_MS_MAX, LATEST_BACK_MAX, LATEST_WAIT_MS_MAX, SUMMARY_ASK_EVERY_MS } from '../limits.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printUnsummarised } from '../terminal/unsummarised-notice.ts';
import { ofReadTenant } from './collector-access.ts';
import { tellLeftInSpool } from './left-in-spool.ts';
import { openCollector } from './open-collector.ts';
import { recordARun } from './record-a-run.ts';

const pattern = /^latest(?:~(\d{1,9}))?$/;

/** How many runs a word goes back from the newest; undefined for a word that is an id or a file. */
function stepsBack(word: string): number | undefined {
  const match = pattern.exec(word);
  return match === null ? undefined : Number(match[1] ?? 0);
}

/** Whether a word names a run by how new it is. */
export function isLatest(word: string): boolean {
  return stepsBack(word) !== undefined;
}

/** What a process called once its runs were over, such as closing a pool: newer than the run somebody wants, unless it failed or a model was called. */
function isAftermath({ runsBefore = 0, models, status }: RunSummary): boolean {
  return runsBefore > 0 && models.length === 0 && status === 'ok';
}

/**
 * The newest runs as `reenact runs` lists them, once none that could be among them waits for its summary, or after a while. A complete page ends before
 * the first run that waits, so older ones may go on waiting.
 */
async function newestRuns(count: number, until: string, url: string, terminal: Terminal): Promise<RunList> {
  const client = openCollector(url);
  // Each may have one behind it that is passed over.
  const limit = 2 * count;
  const startedAt = performance.now();
  for (let asked = 1; ; asked += 1) {
    const list = await client.listRuns({ limit, until, complete: true });
    const runs = list.runs.filter((run) => !isAftermath(run));
    if (runs.length >= count || list.nextCursor === undefined) return { ...list, runs };
    if (asked === 1) terminal.err('The collector still summarises runs; waiting for it, to know which is the latest.');
    if (performance.now() - startedAt > LATEST_WAIT_MS_MAX) break;
    await wait(SUMMARY_ASK_EVERY_MS);
  }
  const list = await client.listRuns({ limit, until });
  printUnsummarised(list, terminal);
  return { ...list, runs: list.runs.filter((run) => !isAftermath(run)) };
}

/** A run of a sender whose clock is set wrong would be the latest for good; that it is passed over is said. */
async function tellOfTheFuture(since: string, url: string, terminal: Terminal): Promise<void> {
  const { runs } = await openCollector(url).listRuns({ limit: 1, since });
  const [run] = runs;
  if (run === undefined) return;
  const { rootSpanId, startedAt } = run;
  terminal.err(
    `Not taken for the latest: runs that begin more than a day from now, as ${rootSpanId} of ${startedAt} does. The clock of their sender, or of this machine, is set wrong.`,
  );
}

function runAt(steps: number, word: string, { runs }: RunList): RunSummary {
  const run = runs[steps];
  if (run !== undefined) return run;
  const known = runs.length === 0 ? 'no run' : runs.length === 1 ? 'one run' : `${runs.length} runs`;
  throw new ReenactError('not-found', `There is no run "${word}": the collector has ${known}${ofReadTenant()}.`, {
    where: word,
    next: runs.length === 0 ? recordARun() : 'List them with `reenact runs`.',
  });
}

/**
 * Puts span ids in the place of `latest` and `latest~<steps back>`, all as one list has them, and says on standard error which runs they are; other words
 * stay as they are. Throws ReenactError: `not-found` where there are not as many runs, `bad-argument` for one too far back.
 */
export async function namedRuns(words: readonly string[], url: string, terminal: Terminal): Promise<readonly string[]> {
  const back = words.map((word) => stepsBack(word) ?? -1);
  const furthest = Math.max(...back, -1);
  if (furthest < 0) return words;
  if (furthest > LATEST_BACK_MAX) {
    throw new ReenactError('bad-argument', `"latest~${furthest}" is further back than ${LATEST_BACK_MAX} runs.`, {
      next: 'Find the run with `reenact runs` and its filters, and name it by its id.',
    });
  }
  const until = new Date(Date.now() + LATEST_AHEAD_MS_MAX).toISOString();
  const list = await newestRuns(furthest + 1, until, url, terminal);
  await tellOfTheFuture(until, url, terminal);
  await tellLeftInSpool(url, process.env, terminal);
  return words.map((word, index) => {
    const steps = back[index] ?? -1;
    if (steps < 0) return word;
    const { rootSpanId, name, startedAt } = runAt(steps, word, list);
    terminal.err(`${word} is ${rootSpanId}, ${name} of ${startedAt}`);
    return rootSpanId;
  });
}

/** The same for one word. */
export async function namedRun(word: string, url: string, terminal: Terminal): Promise<string> {
  const [named = word] = await namedRuns([word], url, terminal);
  return named;
}
