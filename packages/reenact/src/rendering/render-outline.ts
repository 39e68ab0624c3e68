import type { CrossingNode, RunTree } from '@reenact/trace-model/collector-api';
import { humanDuration } from '@reenact/trace-model/words';
import { typedAdvice } from '../terminal/own-command.ts';
import { cutTo, paint, type Terminal } from '../terminal/terminal.ts';
import { failureLines } from './failure-lines.ts';
import { summarisedLineage } from './lineage.ts';
import { replayabilityLines, replayLines } from './render-run.ts';
import { runHeading } from './run-heading.ts';

function humanBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What stands beside the name of a crossing. */
function factsOf(node: CrossingNode): string[] {
  const { model, inputTokens, outputTokens, outcome, errorType, durationMs, leftOutBytes } = node;
  const hasTokens = inputTokens !== undefined || outputTokens !== undefined;
  return [
    ...(model === undefined ? [] : [model]),
    ...(hasTokens ? [`${inputTokens ?? 0}→${outputTokens ?? 0} tokens`] : []),
    ...(outcome === 'returned' || outcome === 'ended' ? [] : [[outcome, errorType].filter(Boolean).join(' ')]),
    ...(outcome === 'pending' || durationMs === undefined ? [] : [humanDuration(durationMs)]),
    ...(leftOutBytes === undefined ? [] : [`${humanBytes(leftOutBytes)} left out`]),
  ];
}

class OutlinePrinter {
  readonly lines: string[] = [];
  private readonly terminal: Terminal;
  private readonly children = new Map<string | undefined, CrossingNode[]>();

  constructor({ crossings }: RunTree, terminal: Terminal) {
    this.terminal = terminal;
    const known = new Set(crossings.map(({ spanId }) => spanId));
    for (const node of crossings) {
      const { parentSpanId, spanId } = node;
      const isRoot = parentSpanId === undefined || parentSpanId === spanId || !known.has(parentSpanId);
      const parent = isRoot ? undefined : parentSpanId;
      const siblings = this.children.get(parent);
      if (siblings === undefined) this.children.set(parent, [node]);
      else siblings.push(node);
    }
  }

  printBelow(parent: string | undefined, stem: string): void {
    const nodes = this.children.get(parent) ?? [];
    // What stands in a circle is printed once.
    this.children.delete(parent);
    nodes.forEach((node, index) => {
      const isLast = index === nodes.length - 1;
      const branch = parent === undefined ? '' : isLast ? '└─ ' : '├─ ';
      this.print(node, `${stem}${branch}`);
      const margin = `${stem}${parent === undefined ? '' : isLast ? '   ' : '│  '}`;
      this.printDetails(node, margin);
      this.printBelow(node.spanId, margin);
    });
  }

  private print(node: CrossingNode, stem: string): void {
    const { kind, name, outcome, spanId } = node;
    const hasFailed = outcome === 'threw' || outcome === 'failed';
    const label = paint(this.terminal, hasFailed ? 'bad' : 'strong', `${kind}:${name}`);
    const tail = paint(this.terminal, 'quiet', `${factsOf(node).join(' · ')}  ${spanId}`);
    this.lines.push(`${paint(this.terminal, 'quiet', stem)}${label}  ${tail}`);
  }

  private printDetails({ spanId, input, output, flags = [], leftOutBytes }: CrossingNode, margin: string): void {
    const stem = `${margin}${this.children.has(spanId) ? '│' : ' '}    `;
    const width = Math.max(40, this.terminal.columns - stem.length - 5);
    const said = leftOutBytes === undefined ? [['in ', input] as const, ['out', output] as const] : [];
    for (const [word, text] of [...said, ...flags.map((flag) => ['!  ', flag] as const)]) {
      this.lines.push(`${paint(this.terminal, 'quiet', `${stem}${word} `)}${cutTo(text, width)}`);
    }
  }
}

/** What an outline is without, and how to see that. */
function leftOutLines({ isOutline, leftOutSpans = 0, run }: RunTree): string[] {
  const lines =
    isOutline === true
      ? [
          typedAdvice(
            'outline: the run is too large for what was said to be read; one crossing whole: `reenact show --alone --full <span-id>`',
          ),
        ]
      : [];
  if (leftOutSpans === 0) return lines;
  return [...lines, `outline: without the last ${leftOutSpans} of ${run.spanCount} spans`];
}

/** The tree of a run as the collector makes it. */
export function renderOutline(tree: RunTree, terminal: Terminal): string {
  const { run } = tree;
  const printer = new OutlinePrinter(tree, terminal);
  printer.printBelow(undefined, '');
  const { verdict, missing, moreMissing } = run.replayability;
  return [
    ...runHeading(run, terminal),
    ...[...summarisedLineage(run), ...leftOutLines(tree)].map((line) => paint(terminal, 'quiet', line)),
    ...failureLines(tree.failure, terminal),
    '',
    ...printer.lines,
    '',
    ...replayabilityLines({ verdict, missing }, terminal),
    ...(moreMissing === undefined ? [] : [`  and ${moreMissing} more`]),
    ...replayLines(tree.replay, terminal),
  ].join('\n');
}
