import type { Divergence, ReplayReport } from '@reenact/trace-model';
import { RENDERED_DIFFERENCES_MAX } from '../limits.ts';
import { evidenceText, outlineOf, staleText } from './report-outline.ts';
import { sourceText } from './source-text.ts';
import { valuePair } from './value-pair.ts';

/** How a Markdown report is rendered. */
export interface MarkdownOptions {
  /** Source files inside it are named relative to it. Default: the working directory. */
  readonly directory?: string | undefined;
}

/** Text that a recording or an agent made up must not become markup, a mention or a link in a pull request. */
function inert(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~@]/g, '\\$&').replace(/\r?\n/g, ' ');
}

function code(text: string): string {
  const flat = text.replace(/\r?\n/g, ' ');
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

/** A code span inside a table: GitHub splits cells at a pipe even inside code. */
function cell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

function differences(divergence: Divergence): string[] {
  const shown = (divergence.difference ?? []).slice(0, RENDERED_DIFFERENCES_MAX);
  if (shown.length === 0) return [];
  const rows = shown.map((entry) => {
    const { recorded, live } = valuePair(entry.recorded, entry.live);
    return `| ${cell(entry.path)} | ${cell(recorded)} | ${cell(live)} |`;
  });
  const more = (divergence.differenceTotal ?? 0) - shown.length;
  return [
    '',
    '| path | recorded | live |',
    '| --- | --- | --- |',
    ...rows,
    ...(more > 0 ? ['', `… and ${more} more.`] : []),
  ];
}

function section(divergence: Divergence, level: string, directory: string): string[] {
  const source = divergence.source === undefined ? [] : [`At ${code(sourceText(divergence.source, directory))}.`];
  const evidence = divergence.causedBy === undefined ? [] : [evidenceText(divergence)];
  const ambiguous = divergence.ambiguous === true ? ['More than one recorded crossing could have been meant.'] : [];
  const sentences = [inert(divergence.message), ...evidence, ...source, ...ambiguous];
  return [
    '',
    `${level} ${divergence.id}: ${divergence.kind} at ${code(divergence.path)}`,
    '',
    sentences.join(' '),
    ...differences(divergence),
    ...(staleText(divergence) === '' ? [] : ['', inert(staleText(divergence))]),
    '',
    `Next: ${inert(divergence.next)}`,
  ];
}

/** A report for a pull request. Whatever the agent or the recording said is shown as data, never as markup. */
export function renderMarkdown(report: ReplayReport, options: MarkdownOptions = {}): string {
  const outline = outlineOf(report);
  const directory = options.directory ?? process.cwd();
  const lines = [
    `## ${outline.headline}`,
    '',
    `Replay of ${code(report.rootPath)}, trace ${code(report.traceId)}. ${outline.counts}.`,
  ];
  for (const { cause, consequences } of outline.causes) {
    lines.push(...section(cause, '### Cause', directory));
    for (const consequence of consequences) lines.push(...section(consequence, '#### Consequence', directory));
  }
  if (outline.preconditions.length > 0) {
    lines.push('', '### Preconditions that differ', '');
    lines.push(...outline.preconditions.map(({ message }) => `- ${inert(message)}`));
  }
  if (outline.outcome !== undefined) lines.push('', inert(outline.outcome));
  if (outline.staleness !== undefined) lines.push('', `**${outline.staleness}**`);
  if (outline.notes.length > 0) lines.push('', '### Notes', '', ...outline.notes.map((note) => `- ${inert(note)}`));
  lines.push('', `Next: ${inert(outline.next)}`, '', `Exit code ${report.exitCode}.`);
  return `${lines.join('\n')}\n`;
}
