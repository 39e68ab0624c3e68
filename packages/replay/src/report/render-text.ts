import { styleText } from 'node:util';
import type { DiffEntry, Divergence, ReplayReport, ReportedEdit, Verdict } from '@reenact/trace-model';
import { RENDERED_DIFFERENCES_MAX, TEXT_WIDTH_CHARACTERS } from '../limits.ts';
import { alikeText } from './gather-alike.ts';
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

/** How a text report is rendered. */
export interface TextOptions {
  /** Whether to colour it; the caller knows whether it goes to a terminal. */
  readonly color: boolean;
  /** Source files inside it are named relative to it. Default: the working directory. */
  readonly directory?: string | undefined;
  /** Columns of the terminal: lines are not longer than that, nor than what is read with ease. Default: the latter. */
  readonly columns?: number | undefined;
  /** Words advice: what to do next. Default: as it is. */
  readonly advice?: ((next: string) => string) | undefined;
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const verdictStyles: Record<Verdict, Style> = {
  reproduced: 'green',
  diverged: 'yellow',
  'nothing-compared': 'red',
  unverified: 'red',
  unusable: 'red',
  forbidden: 'red',
};

/** Breaks a paragraph into lines of a width; a word that is wider stays whole, so that it can be copied. */
export function wrapText(text: string, indent: string, width = TEXT_WIDTH_CHARACTERS): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = indent;
    for (const word of paragraph.split(' ')) {
      const isFirst = line === indent;
      if (!isFirst && line.length + 1 + word.length > width) {
        lines.push(line);
        line = `${indent}${word}`;
      } else line = isFirst ? `${indent}${word}` : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

class TextReport {
  private readonly lines: string[] = [];
  private readonly options: TextOptions;
  private readonly width: number;

  constructor(options: TextOptions) {
    this.options = options;
    this.width = Math.min(options.columns ?? TEXT_WIDTH_CHARACTERS, TEXT_WIDTH_CHARACTERS);
  }

  private style(style: Style, text: string): string {
    return this.options.color ? styleText(style, text, { validateStream: false }) : text;
  }

  private add(text: string, indent = ''): void {
    this.lines.push(...wrapText(text, indent, this.width));
  }

  private difference(entry: DiffEntry, indent: string, isPlanned: boolean): void {
    const { recorded, live } = valuePair(entry.recorded, entry.live);
    this.lines.push(`${indent}${entry.path}`);
    this.lines.push(`${indent}  recorded  ${this.style('red', recorded)}`);
    this.lines.push(`${indent}  ${isPlanned ? 'edited  ' : 'live    '}  ${this.style('green', live)}`);
  }

  private differences(divergence: Divergence | ReportedEdit, indent: string): void {
    const shown = (divergence.difference ?? []).slice(0, RENDERED_DIFFERENCES_MAX);
    for (const entry of shown) this.difference(entry, indent, isEdit(divergence));
    const more = (divergence.differenceTotal ?? 0) - shown.length;
    if (more > 0) this.lines.push(`${indent}… and ${more} more`);
  }

  private next(text: string, indent = ''): void {
    this.add(`Next: ${this.options.advice?.(text) ?? text}`, indent);
  }

  private details(divergence: Divergence | ReportedEdit, indent: string): void {
    if (!isEdit(divergence) && divergence.service !== undefined) {
      this.lines.push(this.style('dim', `${indent}in the service ${divergence.service}`));
    }
    if (divergence.source !== undefined) {
      const place = sourceText(divergence.source, this.options.directory ?? process.cwd());
      this.lines.push(this.style('dim', `${indent}at ${place}`));
    }
    this.add(divergence.message, indent);
    if (!isEdit(divergence) && divergence.ambiguous === true)
      this.add('More than one recorded crossing could have been meant.', indent);
    this.differences(divergence, `${indent}  `);
    const stale = staleText(divergence);
    if (stale !== '') this.add(stale, indent);
    this.next(divergence.next, indent);
  }

  private causeGroup({ cause, alike, repeated, consequences, moreConsequences }: CauseGroup): void {
    this.lines.push('', this.style('bold', `${causeTitle(cause)} at ${cause.path}`));
    this.details(cause, '  ');
    if (alike.length > 0) this.add(alikeText({ alike }), '  ');
    if (repeated.length > 0) this.add(repeatedText({ repeated }), '  ');
    if (consequences.length === 0) return;
    this.lines.push('  Consequences');
    for (const group of consequences) {
      const { id, kind, path } = group.first;
      this.lines.push(`    ${this.style('bold', `${id}: ${kind} at ${path}`)}`);
      this.lines.push(this.style('dim', `      ${evidenceText(group.first)}`));
      this.details(group.first, '      ');
      if (group.alike.length > 0) this.add(alikeText(group), '      ');
    }
    if (moreConsequences !== '') this.add(moreConsequences, '    ');
  }

  private list(title: string, items: readonly string[]): void {
    if (items.length === 0) return;
    this.lines.push('', title);
    for (const item of items) {
      const [first = '', ...rest] = wrapText(this.options.advice?.(item) ?? item, '    ', this.width);
      this.lines.push(`  - ${first.trimStart()}`, ...rest);
    }
  }

  render(report: ReplayReport): string {
    const outline = outlineOf(report);
    this.lines.push(`Replay ${report.replayId} of ${report.rootPath} (trace ${report.traceId})`);
    this.lines.push(this.style(verdictStyles[report.verdict], this.style('bold', outline.headline)));
    this.add(outline.counts);
    if (outline.setUp !== undefined) this.add(outline.setUp);
    if (outline.runsBeside !== undefined) this.add(outline.runsBeside);
    for (const group of outline.causes) this.causeGroup(group);
    if (outline.moreCauses !== '') this.lines.push('', outline.moreCauses);
    this.list(DIFFERENCES_BESIDE_TITLE, outline.differencesBeside);
    this.list(
      'Preconditions that differ',
      outline.preconditions.map(({ message }) => message),
    );
    if (outline.outcome !== undefined) {
      this.lines.push('');
      this.add(outline.outcome);
    }
    if (outline.staleness !== undefined)
      this.lines.push(...wrapText(outline.staleness, '', this.width).map((line) => this.style('yellow', line)));
    this.list('Notes', outline.notes);
    this.lines.push('');
    this.next(outline.next);
    this.lines.push(this.style('dim', `Exit code ${report.exitCode}`));
    return `${this.lines.join('\n')}\n`;
  }
}

/** A report for people at a terminal: the verdict first, then each cause with its consequences, then what to do. */
export function renderText(report: ReplayReport, options: TextOptions): string {
  return new TextReport(options).render(report);
}
