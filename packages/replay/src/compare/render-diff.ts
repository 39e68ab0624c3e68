import { styleText } from 'node:util';
import {
  type DiffSide,
  type DiffStep,
  diffHeadline,
  firstDifferenceText,
  type RecordingDiff,
  type StepDifference,
  statusWords,
  type TreeDifference,
  totalsText,
} from '@reenact/recordings';
import { TEXT_WIDTH_CHARACTERS } from '../limits.ts';
import { wrapText } from '../report/render-text.ts';
import { valuePair } from '../report/value-pair.ts';
import { PLACES_SHOWN_MAX } from './limits.ts';

/** How a comparison is rendered as text. */
export interface DiffTextOptions {
  /** Whether to colour it; the caller knows whether it goes to a terminal. */
  readonly color: boolean;
  /** Columns of the terminal: prose is not wider than that, nor than what is read with ease. Default: the latter. */
  readonly columns?: number | undefined;
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const signs = {
  equal: '>',
  'input-changed': '~',
  'outcome-changed': '~',
  'input-and-outcome-changed': '~',
  removed: '-',
  inserted: '+',
} as const satisfies Record<DiffStep['status'], string>;

const styles = { '>': 'cyan', '~': 'yellow', '-': 'red', '+': 'green' } as const satisfies Record<string, Style>;

function lastLabel(path: string): string {
  // A name may hold a slash of its own; only a slash before another `kind:` separates steps.
  return path.split(/\/(?=[a-z]+:)/).at(-1) ?? path;
}

function sizeOf(step: DiffStep): number {
  return step.children.reduce((sum, child) => sum + sizeOf(child), 1);
}

/** Every step below which, or in which, something differs. */
function differingSteps(root: DiffStep): Set<DiffStep> {
  const found = new Set<DiffStep>();
  const visit = (step: DiffStep): boolean => {
    const isInside = step.children.map(visit).includes(true);
    const isDifferent = isInside || step.status !== 'equal' || step.moved === true;
    if (isDifferent) found.add(step);
    return isDifferent;
  };
  visit(root);
  return found;
}

class DiffText {
  private readonly lines: string[] = [];
  private readonly diff: RecordingDiff;
  private readonly options: DiffTextOptions;
  private readonly differing: ReadonlySet<DiffStep>;

  constructor(diff: RecordingDiff, options: DiffTextOptions) {
    this.diff = diff;
    this.options = options;
    this.differing = differingSteps(diff.tree);
  }

  private style(style: Style, text: string): string {
    return this.options.color ? styleText(style, text, { validateStream: false }) : text;
  }

  private prose(text: string): string[] {
    return wrapText(text, '', Math.min(this.options.columns ?? TEXT_WIDTH_CHARACTERS, TEXT_WIDTH_CHARACTERS));
  }

  private side(letter: string, side: DiffSide): void {
    const facts = [side.service, side.startedAt, `${side.crossings} crossings`];
    const told = facts.filter((fact) => fact !== undefined).join(' · ');
    const { columns = Number.POSITIVE_INFINITY } = this.options;
    const name = `${this.style('bold', letter)}  ${side.rootPath}`;
    const trace = `trace ${side.traceId}`;
    const isNarrow = `${letter}  ${side.rootPath}  ${trace} · ${told}`.length > columns;
    if (isNarrow) this.lines.push(name, ...[trace, told].map((line) => this.style('dim', `   ${line}`)));
    else this.lines.push(`${name}  ${this.style('dim', `${trace} · ${told}`)}`);
  }

  private environment(): void {
    if (this.diff.environment.length === 0) return;
    this.lines.push('', 'Made of');
    for (const { name, left, right, crossings, path } of this.diff.environment) {
      const values = valuePair(left, right);
      const where =
        crossings === undefined ? '' : `  (${crossings === 1 ? '' : `${crossings} crossings, first `}${path})`;
      this.lines.push(`  ${name}  ${values.recorded} → ${values.live}${this.style('dim', where)}`);
    }
  }

  private places(word: string, { places, total }: TreeDifference, margin: string): void {
    for (const { path, rightPath, left, right } of places.slice(0, PLACES_SHOWN_MAX)) {
      const values = valuePair(left, right);
      this.lines.push(`${margin}${word} ${path}${rightPath === undefined ? '' : ` (in b ${rightPath})`}`);
      if (left !== undefined) this.lines.push(`${margin}  ${this.style('red', `- ${values.recorded}`)}`);
      if (right !== undefined) this.lines.push(`${margin}  ${this.style('green', `+ ${values.live}`)}`);
    }
    const more = total - Math.min(places.length, PLACES_SHOWN_MAX);
    if (more > 0) this.lines.push(`${margin}… and ${more} more places`);
  }

  private line(step: DiffStep, stem: string, difference: StepDifference | undefined): void {
    const path = step.right?.path ?? step.left?.path ?? '';
    const label = this.style('bold', stem === '' ? path : lastLabel(path));
    if (difference === undefined) {
      this.lines.push(`  ${stem}${label}`);
      return;
    }
    const sign = signs[step.status];
    const first = step.difference === 1 ? this.style('yellow', '  ◀ first') : '';
    const words = `${this.style(styles[sign], sign)} ${stem}${label}  ${this.style(styles[sign], statusWords(difference))}`;
    this.lines.push(`${words}${first}`);
  }

  private step(step: DiffStep, stem: string, below: string): void {
    const difference = step.difference === undefined ? undefined : this.diff.differences[step.difference - 1];
    this.line(step, stem, difference);
    // What is gone or new is told whole in its own line; inside it only what came from elsewhere is of interest.
    const isGoneOrNew = step.status === 'removed' || step.status === 'inserted';
    const children = isGoneOrNew ? step.children.filter((child) => child.status !== step.status) : step.children;
    const margin = `  ${below}${children.length > 0 ? '│' : ' '}   `;
    if (difference?.input !== undefined) this.places('input', difference.input, margin);
    if (difference?.outcome !== undefined) this.places('outcome', difference.outcome, margin);
    this.children(children, below);
  }

  private children(children: readonly DiffStep[], below: string): void {
    for (let index = 0; index < children.length; index += 1) {
      const from = index;
      while (index < children.length && !this.differing.has(children[index] as DiffStep)) index += 1;
      if (index > from)
        this.equalOnes(children.slice(from, index), `${below}${index === children.length ? '└─' : '├─'} `);
      const child = children[index];
      if (child === undefined) return;
      const isLast = index === children.length - 1;
      this.step(child, `${below}${isLast ? '└─' : '├─'} `, `${below}${isLast ? '  ' : '│ '} `);
    }
  }

  private equalOnes(steps: readonly DiffStep[], stem: string): void {
    const [only] = steps;
    const size = steps.reduce((sum, step) => sum + sizeOf(step), 0);
    const label = lastLabel(only?.left?.path ?? '');
    const inside = size > steps.length ? `, ${size} crossings` : '';
    const text =
      steps.length === 1
        ? `${label}${size > 1 ? ` (${size} crossings)` : ''}`
        : `… ${steps.length} equal steps${inside}`;
    this.lines.push(this.style('dim', `  ${stem}${text}`));
  }

  render(): string {
    const { diff } = this;
    this.side('a', diff.left);
    this.side('b', diff.right);
    this.lines.push('', this.style('bold', diffHeadline(diff)));
    const first = firstDifferenceText(diff);
    if (first !== undefined) this.lines.push(...this.prose(first));
    this.environment();
    if (diff.verdict === 'different') {
      this.lines.push('');
      this.step(diff.tree, '', '');
    }
    const unlisted = diff.differenceTotal - diff.differences.length;
    if (unlisted > 0) this.lines.push('', `${unlisted} more steps differ and are not listed.`);
    this.lines.push('', totalsText(diff.totals));
    for (const note of diff.notes) this.lines.push(...this.prose(`Note: ${note}`));
    return `${this.lines.join('\n')}\n`;
  }
}

/**
 * A comparison for people at a terminal: the verdict and the first difference, what the runs were made of, then the tree of
 * steps with `~` changed, `-` only in a, `+` only in b and `>` moved.
 */
export function renderDiff(diff: RecordingDiff, options: DiffTextOptions): string {
  return new DiffText(diff, options).render();
}
