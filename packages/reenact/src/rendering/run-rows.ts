import type { RunSummary } from '@reenact/trace-model/collector-api';
import { costText, counted, humanDuration } from '@reenact/trace-model/words';
import { alignColumns, cutTo, fillLines, paint, type Terminal } from '../terminal/terminal.ts';

const NAME_COLUMNS_MAX = 40;
const NAME_COLUMNS_MIN = 16;

/** Below the name of a run. */
const ABOUT_MARGIN = ' '.repeat('2026-01-02 03:04:05  ✓  '.length);

const HEADING = ['started (UTC)', '', 'run', 'service', 'crossings', 'tokens', 'took', 'replayable', 'flagged'];

/** What a run failed with, by its name; nothing of one that went on in spite of errors. */
function errorWords({ status, errorTypes = [] }: RunSummary): string[] {
  const [first, ...others] = errorTypes;
  if (status !== 'error' || first === undefined) return [];
  return [others.length === 0 ? first : `${first} and ${others.length} more`];
}

function marks(run: RunSummary): string[] {
  const { origin, kept, isPending, replays = 0, forks = 0 } = run;
  return [
    ...errorWords(run),
    ...(origin === 'recorded' ? [] : [origin]),
    ...(run.runsBefore === undefined ? [] : ['beside other runs']),
    ...(isPending === true ? ['pending'] : []),
    ...(kept === undefined ? [] : ['kept']),
    ...(replays === 0 ? [] : [counted(replays, 'replay')]),
    ...(forks === 0 ? [] : [counted(forks, 'fork')]),
  ];
}

/** A time of the API as lists show it. */
export function shownTime(isoTime: string): string {
  return isoTime.replace('T', ' ').replace(/\.\d+Z$/, '');
}

/** A run that has not ended has neither succeeded nor failed. */
function mark({ status, isPending }: RunSummary): string {
  if (isPending === true) return '…';
  return status === 'ok' ? '✓' : '✗';
}

/** Nothing where none are known: a model whose answers say nothing of it was not free of charge. */
function tokens({ inputTokens, outputTokens }: RunSummary): string {
  return inputTokens + outputTokens === 0 ? '' : `${inputTokens}→${outputTokens}`;
}

function nameWithMarks(run: RunSummary): string {
  const words = marks(run);
  return `${cutTo(run.name, NAME_COLUMNS_MAX)}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}

function row(run: RunSummary, hasCost: boolean): string[] {
  return [
    shownTime(run.startedAt),
    mark(run),
    nameWithMarks(run),
    run.service,
    `${run.crossingCount}`,
    tokens(run),
    run.isPending === true ? '' : humanDuration(run.durationMs),
    run.replayability.verdict,
    run.flaggedCount === undefined ? '' : `${run.flaggedCount}`,
    ...(hasCost ? [run.cost === undefined ? '' : costText(run.cost)] : []),
    run.rootSpanId,
  ];
}

/** What a row has behind the name, each saying by itself what it is: no heading stands above. */
function labelledFacts(run: RunSummary): string[] {
  const said = tokens(run);
  return [
    run.service,
    counted(run.crossingCount, 'crossing'),
    ...(said === '' ? [] : [`${said} tokens`]),
    ...(run.isPending === true ? [] : [humanDuration(run.durationMs)]),
    run.replayability.verdict,
    ...(run.flaggedCount === undefined ? [] : [`${run.flaggedCount} flagged`]),
    ...(run.cost === undefined ? [] : [costText(run.cost)]),
    run.rootSpanId,
  ];
}

/** What a run was about: what was asked, and what came of it; empty where neither is known. A long question leaves the answer half of the width. */
function aboutText({ asked, answered }: RunSummary, width = Number.POSITIVE_INFINITY): string {
  const answer = answered === undefined ? '' : `→ ${answered}`;
  if (asked === undefined || answer === '') return cutTo(asked ?? answer, width);
  const askedWidth = Math.max(Math.floor(width / 2), width - answer.length - 1);
  return cutTo(`${cutTo(asked, askedWidth)} ${answer}`, width);
}

/** The same on a line of its own, as far as the terminal has room. */
function printAbout(run: RunSummary, margin: string, terminal: Terminal): void {
  const about = aboutText(run, terminal.columns - margin.length);
  if (about !== '') terminal.out(paint(terminal, 'quiet', margin + about));
}

/** One run on several lines, where there is no room for columns. */
function printRunBlock(run: RunSummary, terminal: Terminal): void {
  const { columns, out } = terminal;
  const start = `${shownTime(run.startedAt)}  ${mark(run)}  `;
  out(`${start}${cutTo(run.name, Math.max(NAME_COLUMNS_MIN, columns - start.length))}`);
  for (const line of fillLines([...marks(run), ...labelledFacts(run)], '  ', columns)) out(line);
  printAbout(run, '  ', terminal);
}

/**
 * Runs as rows under a heading, cost only where a run has one; as blocks on a terminal that would wrap a row. What they were about stands
 * below each on a terminal, and in the last column of a pipe, where a line is found with all that it says.
 */
export function printRunRows(runs: readonly RunSummary[], terminal: Terminal): void {
  const hasCost = runs.some(({ cost }) => cost !== undefined);
  const heading = [...HEADING, ...(hasCost ? ['cost'] : []), 'span id', ...(terminal.wraps ? [] : ['about'])];
  const rows = runs.map((run) => [...row(run, hasCost), ...(terminal.wraps ? [] : [aboutText(run)])]);
  const [first = '', ...lines] = alignColumns([heading, ...rows]).map((line) => line.trimEnd());
  if (terminal.wraps && [first, ...lines].some((line) => line.length > terminal.columns)) {
    for (const run of runs) printRunBlock(run, terminal);
    return;
  }
  terminal.out(paint(terminal, 'quiet', first));
  lines.forEach((line, index) => {
    terminal.out(line);
    const run = runs[index];
    if (terminal.wraps && run !== undefined) printAbout(run, ABOUT_MARGIN, terminal);
  });
}

/** One run on one line, where no others are known yet; as a block on a terminal that would wrap it. */
export function printRun(run: RunSummary, terminal: Terminal): void {
  const facts = [shownTime(run.startedAt), mark(run), nameWithMarks(run), ...labelledFacts(run)];
  const about = terminal.wraps ? '' : aboutText(run);
  const line = [...facts, ...(about === '' ? [] : [about])].join('  ');
  if (terminal.wraps && line.length > terminal.columns) printRunBlock(run, terminal);
  else {
    terminal.out(line);
    if (terminal.wraps) printAbout(run, ABOUT_MARGIN, terminal);
  }
}
