import type { Divergence, ReplayReport, ReportedEdit } from '@reenact/trace-model';
import { RENDERED_DIFFERENCES_MAX } from '../limits.ts';
import { alikeText } from './gather-alike.ts';
import { cellText, codeText, inertText } from './markdown-text.ts';
import {
  type CauseGroup,
  causeTitle,
  DIFFERENCES_BESIDE_TITLE,
  evidenceText,
  isEdit,
  outlineOf,
  repeatedText,
  staleText,
} from './report-outline.ts';
import { sourceText } from './source-text.ts';
import { valuePair } from './value-pair.ts';

/** How a Markdown report is rendered. */
export interface MarkdownOptions {
  /** Source files inside it are named relative to it. Default: the working directory. */
  readonly directory?: string | undefined;
  /** Words advice: what to do next. Default: as it is. */
  readonly advice?: ((next: string) => string) | undefined;
}

type Wording = Required<{ readonly [Name in keyof MarkdownOptions]: NonNullable<MarkdownOptions[Name]> }>;

function differences(divergence: Divergence | ReportedEdit): string[] {
  const shown = (divergence.difference ?? []).slice(0, RENDERED_DIFFERENCES_MAX);
  if (shown.length === 0) return [];
  const rows = shown.map((entry) => {
    const { recorded, live } = valuePair(entry.recorded, entry.live);
    return `| ${cellText(entry.path)} | ${cellText(recorded)} | ${cellText(live)} |`;
  });
  const more = (divergence.differenceTotal ?? 0) - shown.length;
  return [
    '',
    `| path | recorded | ${isEdit(divergence) ? 'edited' : 'live'} |`,
    '| --- | --- | --- |',
    ...rows,
    ...(more > 0 ? ['', `… and ${more} more.`] : []),
  ];
}

function section(divergence: Divergence | ReportedEdit, title: string, { directory, advice }: Wording): string[] {
  const source = divergence.source === undefined ? [] : [`At ${codeText(sourceText(divergence.source, directory))}.`];
  const service = isEdit(divergence) || divergence.service === undefined ? '' : ` in ${codeText(divergence.service)}`;
  const evidence = isEdit(divergence) || divergence.causedBy === undefined ? [] : [evidenceText(divergence)];
  const ambiguous =
    !isEdit(divergence) && divergence.ambiguous === true
      ? ['More than one recorded crossing could have been meant.']
      : [];
  const sentences = [inertText(divergence.message), ...evidence, ...source, ...ambiguous];
  return [
    '',
    `${title} at ${codeText(divergence.path)}${service}`,
    '',
    sentences.join(' '),
    ...differences(divergence),
    ...(staleText(divergence) === '' ? [] : ['', inertText(staleText(divergence))]),
    '',
    `Next: ${inertText(advice(divergence.next))}`,
  ];
}

function causeSection(
  { cause, alike, repeated, consequences, moreConsequences }: CauseGroup,
  wording: Wording,
): string[] {
  return [
    ...section(cause, `### ${causeTitle(cause)}`, wording),
    ...(alike.length > 0 ? ['', inertText(alikeText({ alike }))] : []),
    ...(repeated.length > 0 ? ['', inertText(repeatedText({ repeated }))] : []),
    ...consequences.flatMap((group) => [
      ...section(group.first, `#### Consequence ${group.first.id}: ${group.first.kind}`, wording),
      ...(group.alike.length > 0 ? ['', inertText(alikeText(group))] : []),
    ]),
    ...(moreConsequences === '' ? [] : ['', moreConsequences]),
  ];
}

/** A report for a pull request. Whatever the agent or the recording said is shown as data, never as markup. */
export function renderMarkdown(report: ReplayReport, options: MarkdownOptions = {}): string {
  const outline = outlineOf(report);
  const wording = { directory: options.directory ?? process.cwd(), advice: options.advice ?? ((next: string) => next) };
  const lines = [
    `## ${outline.headline}`,
    '',
    `Replay of ${codeText(report.rootPath)}, trace ${codeText(report.traceId)}. ${outline.counts}.`,
  ];
  for (const text of [outline.setUp, outline.runsBeside]) if (text !== undefined) lines.push('', `${inertText(text)}.`);
  for (const group of outline.causes) lines.push(...causeSection(group, wording));
  if (outline.moreCauses !== '') lines.push('', outline.moreCauses);
  if (outline.differencesBeside.length > 0) {
    lines.push('', `### ${DIFFERENCES_BESIDE_TITLE}`, '');
    lines.push(...outline.differencesBeside.map((text) => `- ${inertText(wording.advice(text))}`));
  }
  if (outline.preconditions.length > 0) {
    lines.push('', '### Preconditions that differ', '');
    lines.push(...outline.preconditions.map(({ message }) => `- ${inertText(message)}`));
  }
  if (outline.outcome !== undefined) lines.push('', inertText(outline.outcome));
  if (outline.staleness !== undefined) lines.push('', `**${outline.staleness}**`);
  if (outline.notes.length > 0)
    lines.push('', '### Notes', '', ...outline.notes.map((note) => `- ${inertText(wording.advice(note))}`));
  lines.push('', `Next: ${inertText(wording.advice(outline.next))}`, '', `Exit code ${report.exitCode}.`);
  return `${lines.join('\n')}\n`;
}
