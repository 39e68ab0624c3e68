import { REJECTED_DETAILS_MAX } from './limits.ts';

/** What can be wrong with OTLP bytes or text, as a closed list. */
export type OtlpProblemCode =
  | 'bad-json'
  | 'bad-parent-span-id'
  | 'bad-shape'
  | 'bad-span-id'
  | 'bad-tag'
  | 'bad-trace-id'
  | 'bad-value'
  | 'bad-varint'
  | 'bad-wire-type'
  | 'too-deep'
  | 'too-many-items'
  | 'truncated';

/** What was wrong and where: `offset` counts bytes from the start of what was given to be read. */
export interface OtlpProblem {
  readonly code: OtlpProblemCode;
  readonly message: string;
  readonly offset: number;
}

/** Why one span or log record of a request was rejected; `position` counts the items of the request from 0. */
export interface ItemProblem extends OtlpProblem {
  readonly position: number;
}

/** The items of one request that were rejected: how many, and the first of them one by one. */
export interface Rejections {
  count: number;
  readonly problems: ItemProblem[];
  /** All of them by what is wrong. */
  readonly byCode: Map<OtlpProblemCode, number>;
}

/** Nothing rejected yet. */
export function createRejections(): Rejections {
  return { count: 0, problems: [], byCode: new Map() };
}

/** Counts one rejected item and describes it while there is room. */
export function addRejection(rejections: Rejections, position: number, problem: OtlpProblem): void {
  rejections.count += 1;
  rejections.byCode.set(problem.code, (rejections.byCode.get(problem.code) ?? 0) + 1);
  if (rejections.problems.length < REJECTED_DETAILS_MAX) rejections.problems.push({ ...problem, position });
}

/** One sentence naming what was rejected and why, for a partial success; empty when nothing was. */
export function describeRejections(rejections: Rejections, noun: string): string {
  if (rejections.count === 0) return '';
  const shown = rejections.problems.map(({ position, message }) => `${noun} ${position}: ${message}`);
  const left = rejections.count - rejections.problems.length;
  return `${rejections.count} rejected. ${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}

/** The first item that was rejected, as what is wrong with all of a request that cannot be taken in part. */
export function firstRejection({ problems: [first] }: Rejections, noun: string): OtlpProblem | undefined {
  if (first === undefined) return undefined;
  const { code, position, message, offset } = first;
  return { code, message: `${noun} ${position}: ${message}`, offset };
}
