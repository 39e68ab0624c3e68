import { type Crossing, closestName, crossingLabel } from '@reenact/trace-model';
import type { InputComparer } from '../equality/input-comparison.ts';
import type { Inquiry } from './inquiry.ts';

/** By what a call is known under another name: the model's call that it answers, or its very input. */
export type SameBy = 'input' | 'tool-call-id';

/** Where a call is looked for that was not recorded. */
interface Surroundings {
  /** What was recorded at the same place. */
  readonly siblings: readonly Crossing[];
  /** Whether nothing has called it yet. */
  readonly isLeft: (crossing: Crossing) => boolean;
  readonly all: readonly Crossing[];
  readonly comparer: InputComparer;
}

/** The nearest to a call that was not recorded. */
interface Closest {
  readonly closest: Crossing | undefined;
  readonly sameBy?: SameBy;
}

/** `[{}]`, `[""]` and the like say nothing of which call it is. */
const TELLING_INPUT_CHARACTERS_MIN = 6;

function underOtherName(asked: Inquiry, { siblings, isLeft, comparer }: Surroundings): Closest | undefined {
  const others = siblings.filter((crossing) => crossing.kind === asked.kind && isLeft(crossing));
  const answering = others.find(({ toolCallId }) => toolCallId !== undefined && toolCallId === asked.toolCallId);
  if (answering !== undefined) return { closest: answering, sameBy: 'tool-call-id' };
  const isTelling = ({ input }: Crossing): boolean => (input?.data?.length ?? 0) >= TELLING_INPUT_CHARACTERS_MIN;
  const equal = others.find((crossing) => isTelling(crossing) && comparer.isSameText(crossing, asked.input));
  return equal === undefined ? undefined : { closest: equal, sameBy: 'input' };
}

/** Finds what was recorded nearest to a call whose name was not: the same call under another name, else one of a similar name. */
export function closestCrossing(asked: Inquiry, surroundings: Surroundings): Closest {
  const renamed = underOtherName(asked, surroundings);
  if (renamed !== undefined) return renamed;
  const { siblings, all } = surroundings;
  const label = crossingLabel(asked);
  for (const pool of [siblings.filter(({ kind }) => kind === asked.kind), siblings, all]) {
    const close = closestName(label, pool.map(crossingLabel));
    const crossing = pool.find((item) => crossingLabel(item) === close);
    if (crossing !== undefined) return { closest: crossing };
  }
  return { closest: undefined };
}
