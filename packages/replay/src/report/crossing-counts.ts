import type { ReplayedCrossing, ReplayReport } from '@reenact/trace-model';
import type { Consumption } from './consumption.ts';

/** What the numbers of a report are made of. */
export interface CountedReplay {
  readonly consumption: Consumption;
  /** Span id of the run; undefined where only what is below it takes part. */
  readonly rootSpanId: string | undefined;
  /** Those of the run, as they were met. */
  readonly crossings: readonly Pick<ReplayedCrossing, 'answer' | 'recordedSpanId'>[];
  /** Live inputs compared with recorded ones. */
  readonly compared: number;
}

/**
 * The numbers of a report, which add up: everything recorded and everything called beyond that was answered, was not called, or lies
 * inside something that did not run again.
 */
export function crossingCounts({
  consumption,
  rootSpanId,
  crossings,
  compared,
}: CountedReplay): ReplayReport['counts'] {
  const answered = (answer: ReplayedCrossing['answer']): number =>
    crossings.filter((crossing) => crossing.answer === answer).length;
  const recorded = new Set(consumption.recorded.map(({ spanId }) => spanId));
  if (rootSpanId !== undefined) recorded.add(rootSpanId);
  const met = new Set<string>();
  for (const { recordedSpanId } of crossings) {
    if (recordedSpanId !== undefined && recorded.has(recordedSpanId)) met.add(recordedSpanId);
  }
  // A run that the program never got to was not called either.
  const isRootMissing = rootSpanId !== undefined && !met.has(rootSpanId);
  const unconsumed = consumption.unconsumed.length + Number(isRootMissing);
  return {
    recorded: recorded.size,
    unrecorded: crossings.length - met.size,
    stubbed: answered('stub'),
    live: answered('live'),
    rerun: answered('rerun'),
    refused: answered('refused'),
    unconsumed,
    inside: recorded.size - met.size - unconsumed,
    compared,
  };
}
