import { subtreeOf } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import { parseEditFlag, parseFailFlag } from '../plan/plan-flags.ts';
import { selectedIn } from '../plan/selected-crossings.ts';
import { setUpCrossings } from '../recorded/with-set-up.ts';
import type { PlanOptions } from './plan.ts';

/** What is asked of several replays, as far as it means something in one of them. */
export interface PlanForRun {
  readonly options: PlanOptions;
  /** What names nothing in this run, as it was written: `--edit tool:quote:$.price=5`, `a rule for tool:quote`. */
  readonly leftOut: readonly string[];
}

/** One thing that is asked of the crossings that a selector names. */
interface Asked {
  readonly selector: string;
  readonly written: string;
}

const plainFlags = ['live', 'stub', 'forbid'] as const;

function flagged(flag: string, selector: string, text: string): Asked {
  return { selector, written: `--${flag} ${text}` };
}

function written(what: string, selector: string): Asked {
  return { selector, written: `${what} for ${selector}` };
}

function editAsked(edit: NonNullable<PlanOptions['edit']>[number]): Asked {
  return typeof edit === 'string'
    ? flagged('edit', parseEditFlag(edit).selector, edit)
    : written('an edit', edit.selector);
}

function failAsked(fail: NonNullable<PlanOptions['fail']>[number]): Asked {
  return typeof fail === 'string'
    ? flagged('fail', parseFailFlag(fail).selector, fail)
    : written('a failure', fail.selector);
}

/** A span that is no crossing, and a trace of somebody else's with roots side by side, are replayed with all there is. */
function crossingsOfRun(recording: Recording, rootSpanId: string): readonly Crossing[] {
  const isOwn = recording.bySpanId.get(rootSpanId)?.dialect === 'reenact';
  return isOwn ? [...subtreeOf(recording, rootSpanId), ...setUpCrossings(recording, rootSpanId)] : recording.crossings;
}

/**
 * The part of a plan for several runs that names something in one of them: its recording from a crossing on. Throws ReenactError
 * `bad-plan` for what cannot be read.
 */
export function planForRun(options: PlanOptions, recording: Recording, rootSpanId: string): PlanForRun {
  const select = selectedIn(crossingsOfRun(recording, rootSpanId), recording);
  const leftOut: string[] = [];
  const kept = <Item>(items: readonly Item[] | undefined, askedBy: (item: Item) => Asked): Item[] =>
    (items ?? []).filter((item) => {
      const asked = askedBy(item);
      const isNamed = select(asked.selector).matched.length > 0;
      if (!isNamed) leftOut.push(asked.written);
      return isNamed;
    });
  const plain = Object.fromEntries(
    plainFlags.map((flag) => [flag, kept(options[flag], (selector) => flagged(flag, selector, selector))]),
  );
  const { file } = options;
  const ofFile = {
    rules: kept(file?.rules, ({ selector }) => written('a rule of the plan file', selector)),
    ignore: kept(file?.ignore, ({ selector }) => written('an ignore rule of the plan file', selector)),
  };
  return {
    options: {
      ...options,
      ...plain,
      edit: kept(options.edit, editAsked),
      fail: kept(options.fail, failAsked),
      ignore: kept(options.ignore, ({ selector }) => written('an ignore rule', selector)),
      file: file === undefined ? undefined : { ...file, ...ofFile },
    },
    leftOut,
  };
}
