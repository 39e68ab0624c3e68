import { ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import {
  type Crossing,
  crossingFacts,
  crossingLabel,
  flagsOf,
  inputPreview,
  type Missing,
  missingAdvice,
  offeredReplay,
  outcomePreview,
  type Recording,
  runFailure,
} from '@reenact/trace-model';
import { humanDuration } from '@reenact/trace-model/words';
import { ownCommand, typedAdvice } from '../terminal/own-command.ts';
import { cutTo, fillLines, LOOKED_AT_MAX, paint, type Style, type Terminal } from '../terminal/terminal.ts';
import { failureLines } from './failure-lines.ts';
import { lineageOf } from './lineage.ts';
import { runBeforeLines } from './run-before-lines.ts';
import { type RunHeading, runHeading } from './run-heading.ts';
import { setUpLines } from './set-up-lines.ts';

/** How a run is printed. */
export interface RunView {
  /** Print inputs and outcomes whole instead of one line each. */
  readonly full: boolean;
  /** The file that the recording is named by where it is replayed; else it is named by its id. */
  readonly replayedAs?: string;
}

const verdictStyle = { full: 'good', partial: 'warning', cold: 'bad' } as const satisfies Record<string, Style>;

const verdictWords = {
  full: 'everything needed is recorded',
  partial: 'it replays, with these limits',
  cold: 'it cannot be replayed fully, something needed is missing',
} as const;

function durationMs(crossing: Crossing): number {
  return Number(crossing.endTimeUnixNano - crossing.startTimeUnixNano) / 1e6;
}

function failed(crossing: Crossing): boolean {
  return crossing.outcome.type === 'threw' || crossing.outcome.type === 'failed';
}

class RunPrinter {
  readonly lines: string[] = [];
  private readonly children = new Map<string, Crossing[]>();
  private readonly terminal: Terminal;
  private readonly view: RunView;

  constructor(recording: Pick<Recording, 'crossings'>, terminal: Terminal, view: RunView) {
    this.terminal = terminal;
    this.view = view;
    for (const crossing of recording.crossings) {
      if (crossing.parentSpanId === undefined) continue;
      this.children.set(crossing.parentSpanId, [...(this.children.get(crossing.parentSpanId) ?? []), crossing]);
    }
  }

  print(crossing: Crossing, stem: string, branch: string): void {
    const children = this.children.get(crossing.spanId) ?? [];
    const last = branch === '└─ ';
    const below = `${stem}${branch === '' ? '' : last ? '   ' : '│  '}`;
    const facts = [
      ...crossingFacts(crossing),
      crossing.outcome.type === 'pending' ? 'pending' : humanDuration(durationMs(crossing)),
    ];
    const label = paint(this.terminal, failed(crossing) ? 'bad' : 'strong', crossingLabel(crossing));
    const tail = paint(this.terminal, 'quiet', `${facts.join(' · ')}  ${crossing.spanId}`);
    this.lines.push(`${paint(this.terminal, 'quiet', stem + branch)}${label}  ${tail}`);
    const charactersMax = this.view.full ? Number.POSITIVE_INFINITY : LOOKED_AT_MAX;
    this.detail('in ', inputPreview(crossing, charactersMax), below, children.length > 0);
    this.detail('out', outcomePreview(crossing, charactersMax), below, children.length > 0);
    for (const flag of flagsOf(crossing)) this.detail('!  ', flag, below, children.length > 0);
    children.forEach((child, index) => {
      this.print(child, below, index === children.length - 1 ? '└─ ' : '├─ ');
    });
  }

  private detail(word: string, text: string, stem: string, hasChildren: boolean): void {
    const margin = `${stem}${hasChildren ? '│' : ' '}    `;
    const body = this.view.full ? text : cutTo(text, Math.max(40, this.terminal.columns - margin.length - 5));
    this.lines.push(`${paint(this.terminal, 'quiet', `${margin}${word} `)}${body}`);
  }
}

/** Something that a run lacks, as a recording or the collector says it. */
interface Lack extends Pick<Missing, 'cause'> {
  readonly where?: string | undefined;
  readonly detail?: string | undefined;
}

/** On lines as wide as the terminal; on one in a pipe, where somebody may look for words of it. */
function paragraph(text: string, indent: string, { columns, wraps }: Terminal): string[] {
  return wraps ? fillLines(text.split(' '), indent, columns, ' ') : [`${indent}${text}`];
}

function describeMissing(missing: readonly Lack[], terminal: Terminal): string[] {
  const groups = new Map<string, Lack[]>();
  for (const item of missing) groups.set(item.cause, [...(groups.get(item.cause) ?? []), item]);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const places = group
      .slice(0, 4)
      .map(({ where, detail }) => [where, detail].filter((part) => part !== undefined).join(' '));
    const more = group.length > 4 ? ` and ${group.length - 4} more` : '';
    const advice = missingAdvice(
      first.cause,
      group.flatMap(({ detail }) => detail ?? []),
    );
    const [said = '', ...rest] = paragraph(`${first.cause}: ${typedAdvice(advice)}`, '    ', terminal);
    return [said.slice(2), ...rest, ...paragraph(`${places.join('; ')}${more}`, '    ', terminal)];
  });
}

/** Whether a run can be replayed, and what it lacks. */
export function replayabilityLines(
  { verdict, missing }: { readonly verdict: Recording['replayability']['verdict']; readonly missing: readonly Lack[] },
  terminal: Terminal,
): string[] {
  const judged = `replayability: ${paint(terminal, verdictStyle[verdict], verdict)} — ${verdictWords[verdict]}`;
  return [judged, ...describeMissing(missing, terminal)];
}

function describeFlagged({ crossings }: Recording, terminal: Terminal): string[] {
  const flagged = crossings.filter((crossing) => flagsOf(crossing).length > 0).length;
  if (flagged === 0) return [];
  const what = `${flagged} ${flagged === 1 ? 'crossing lacks' : 'crossings lack'} what the boundary requires`;
  return [`${paint(terminal, 'warning', 'flagged')}: ${what}; look for ! above`];
}

/** How the run is replayed; empty where it cannot be, or nothing says how it was entered. */
export function replayLines(words: string | undefined, terminal: Terminal): string[] {
  return words === undefined ? [] : [paint(terminal, 'quiet', `replay it: ${ownCommand()} ${words}`)];
}

function headingOf({ traceId, resource, roots, spans, crossings }: Recording): RunHeading {
  const started = roots[0]?.startTimeUnixNano;
  return {
    traceId,
    service: String(resource.get(ATTR_SERVICE_NAME) ?? 'unknown service'),
    startedAt: started === undefined ? undefined : new Date(Number(started / 1_000_000n)).toISOString(),
    spanCount: spans.size,
    crossingCount: crossings.length,
  };
}

/** One run as a tree of crossings with inputs, outcomes, durations and tokens, and its replayability verdict. */
export function renderRun(recording: Recording, terminal: Terminal, view: RunView): string {
  const printer = new RunPrinter(recording, terminal, view);
  for (const root of recording.roots) printer.print(root, '', '');
  return [
    ...runHeading(headingOf(recording), terminal),
    ...[...lineageOf(recording), ...runBeforeLines(recording), ...setUpLines(recording, { isHeld: false })].map(
      (line) => paint(terminal, 'quiet', line),
    ),
    ...failureLines(runFailure(recording, LOOKED_AT_MAX), terminal),
    '',
    ...printer.lines,
    '',
    ...replayabilityLines(recording.replayability, terminal),
    ...describeFlagged(recording, terminal),
    ...replayLines(offeredReplay(recording, view.replayedAs), terminal),
  ].join('\n');
}

/** One crossing without the run around it. */
export function renderCrossing(crossing: Crossing, terminal: Terminal, view: RunView): string {
  const printer = new RunPrinter({ crossings: [] }, terminal, view);
  printer.print(crossing, '', '');
  return printer.lines.join('\n');
}
