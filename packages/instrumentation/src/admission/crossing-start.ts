import type { Attributes, Context, Link, Span, SpanContext, SpanKind } from '@opentelemetry/api';
import type { CallShape, EncodedValue, Exchange } from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { CrossingFacts, ReplayMark } from '../gate/crossing-facts.ts';
import type { LiveOutcome, LiveSpanIds } from '../gate/player.ts';
import type { Beginning } from '../run/beginning.ts';
import type { CarriedDraws } from '../run/carried-draws.ts';
import type { CrossingScope } from '../run/crossing-scope.ts';

/** What the gate has prepared for one crossing. */
export interface CrossingStart {
  readonly beginning: Beginning;
  readonly boundary: BoundaryDefinition;
  readonly context: Context;
  readonly scope: CrossingScope;
  readonly span: Span | undefined;
  readonly spanContext: SpanContext;
  readonly parentSpanContext: SpanContext | undefined;
  readonly spanName: string;
  readonly spanKind: SpanKind;
  readonly startUnixNano: bigint;
  readonly slim: Attributes;
  readonly links: readonly Link[];
  /** Gives the links that are known only later; absent where there are none. */
  readonly linksSince: ((brought: () => readonly string[]) => readonly Link[]) | undefined;
  readonly parentCrossing: string | undefined;
  /** What the process had drawn before its first run. */
  readonly processDraws: string | undefined;
  /** What code of crossings of its run drew that had ended before it began. */
  readonly carried: CarriedDraws | undefined;
  readonly order: number;
  readonly call: CallShape | undefined;
  readonly replay: ReplayMark | undefined;
}

/** What a crossing was called with. Apart from its start, which is held for as long as anything holds the crossing. */
export interface CrossingInput {
  readonly input: EncodedValue | undefined;
  readonly content: Attributes;
}

/** Who is told when a crossing has ended. Errors of either are caught. */
export interface CrossingListener<Ended> {
  /** Whether anybody wants the values; encoding them is the larger part of what a crossing costs. */
  readonly encodes: boolean;
  ended(crossing: Ended, facts: () => CrossingFacts): void;
  /** Its run has ended before it: what is known of its answer by then. */
  outlived(facts: () => CrossingFacts): void;
  /** In a replay, where the boundary's code ran. */
  readonly settled: ((outcome: LiveOutcome, exchanges: readonly Exchange[], spanIds: LiveSpanIds) => void) | undefined;
  /** In a replay, where it did not. */
  readonly over: (() => void) | undefined;
}
