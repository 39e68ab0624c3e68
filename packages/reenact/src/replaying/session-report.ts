import { cellText, inertText, renderMarkdown, renderText } from '@reenact/replay';
import { describeError, ReenactError, type ReplayReport } from '@reenact/trace-model';
import { typedAdvice } from '../terminal/own-command.ts';
import { alignColumns, paint, type Terminal } from '../terminal/terminal.ts';

/** One of several runs that are replayed one after the other: of a conversation, or of recordings that were named. */
export interface SessionRun {
  /** The file or id it was named by; absent where the conversation named it. */
  readonly source?: string;
  /** Empty where the recording could not be read, as are the others. */
  readonly traceId: string;
  readonly rootSpanId: string;
  /** `kind:name` of its root crossing. */
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** What became of one run of a conversation: a report, or why there could be none. */
export interface SessionRunResult {
  readonly run: SessionRun;
  readonly report: ReplayReport | undefined;
  readonly error: ReenactError | undefined;
}

/** Exit code of a run whose replay could not take place. */
const EXIT_UNUSABLE = 2;

/** The exit code of one run. */
export function sessionExitCode({ report }: SessionRunResult): number {
  return report?.exitCode ?? EXIT_UNUSABLE;
}

/** One run as JSON: its report, or what says why there is none. */
export function sessionResultJson({ run, report, error }: SessionRunResult): object {
  const { traceId, rootSpanId, source } = run;
  const named = source === undefined ? {} : { source };
  if (report !== undefined) return { ...named, ...report };
  const { code, message, next } = error ?? new ReenactError('internal', 'The replay gave no report.');
  const ids = traceId === '' ? {} : { traceId, rootSpanId };
  return { ...named, ...ids, verdict: 'unusable', exitCode: EXIT_UNUSABLE, error: { code, message, next } };
}

function resultWords({ report, error }: SessionRunResult): string {
  if (report === undefined) return error === undefined ? 'unusable' : `unusable: ${error.code}`;
  const [cause] = report.divergences;
  return report.verdict === 'reproduced' || cause === undefined
    ? report.verdict
    : `${report.verdict}: ${cause.kind} at ${cause.path}`;
}

function summaryOf(title: string, results: readonly SessionRunResult[]): { headline: string; rows: string[][] } {
  const reproduced = results.filter((result) => sessionExitCode(result) === 0).length;
  const headline = `${title}: ${reproduced} of ${results.length} runs reproduced.`;
  const rows = results.map((result, index) => [
    `${index + 1}`,
    sessionExitCode(result) === 0 ? '✓' : '✗',
    result.run.startedAt,
    [result.run.source, result.run.name].filter((text) => text !== undefined && text !== '').join(' '),
    result.run.rootSpanId,
    resultWords(result),
  ]);
  return { headline, rows };
}

/** Prints the reports of the runs that were not reproduced, then one line a run. */
export function printSessionText(title: string, results: readonly SessionRunResult[], terminal: Terminal): void {
  for (const { run, report, error } of results) {
    if (report?.exitCode === 0) continue;
    terminal.out(`\n${paint(terminal, 'strong', [run.name, run.rootSpanId].join(' ').trim())}`);
    if (report !== undefined)
      terminal.out(
        renderText(report, { color: terminal.colour, columns: terminal.columns, advice: typedAdvice }).trimEnd(),
      );
    else if (error !== undefined) terminal.out(`${error.code} ${describeError(error)}`);
  }
  const { headline, rows } = summaryOf(title, results);
  terminal.out(`\n${paint(terminal, 'strong', headline)}`);
  for (const line of alignColumns(rows)) terminal.out(`  ${line}`);
}

/** Prints one table over all runs, then the reports of those that were not reproduced. */
export function printSessionMarkdown(title: string, results: readonly SessionRunResult[], terminal: Terminal): void {
  const { headline, rows } = summaryOf(title, results);
  // Names and ids come from recordings: as code spans they stay data.
  const cells = (row: readonly string[]): string => row.map((text) => (text === '' ? '' : cellText(text))).join(' | ');
  terminal.out(`## ${inertText(headline)}\n`);
  terminal.out(`| run | | started | name | span id | result |\n| --- | --- | --- | --- | --- | --- |`);
  for (const row of rows) terminal.out(`| ${cells(row)} |`);
  for (const { report } of results) {
    if (report !== undefined && report.exitCode !== 0)
      terminal.out(`\n${renderMarkdown(report, { advice: typedAdvice }).trimEnd()}`);
  }
}
