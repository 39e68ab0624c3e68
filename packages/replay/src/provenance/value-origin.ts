import type { Evidence } from './find-value.ts';

/** One place in a run: the input or the outcome of a crossing, and where in it. */
export interface OriginPlace {
  readonly part: 'input' | 'outcome';
  /** Path of the crossing. */
  readonly path: string;
  readonly spanId: string;
  readonly jsonPath: string;
  /** JSON path inside the JSON text that stands at the place. */
  readonly insideText?: string;
  readonly excerpt: string;
}

/** A place where the value was found, and how strong a sign that is. */
export interface OriginSource extends OriginPlace {
  readonly evidence: Evidence;
}

/**
 * Why a source was followed. `tool-call`: the model's answer holds the id of this very tool call; `earlier-outcome`: it
 * reached the agent before; `inside`: it came out of a crossing inside; `own-input`: it went into the same crossing;
 * `enclosing-input`: it went into the crossing around it.
 */
export type OriginReason = 'tool-call' | 'earlier-outcome' | 'inside' | 'own-input' | 'enclosing-input';

/** One step back: the source that was followed, and the others that hold the value too, earliest first, bounded. */
export interface OriginLink {
  readonly reason: OriginReason;
  readonly source: OriginSource;
  readonly others: readonly OriginSource[];
  readonly otherTotal: number;
}

/** A crossing by path and span id. */
export interface OriginCrossing {
  readonly path: string;
  readonly spanId: string;
}

/** Where the chain ends. */
export type Origin =
  /** The value went into the run. */
  | { readonly type: 'run-input'; readonly place: OriginPlace }
  /** A crossing gave the value, and nothing that went into it holds it. */
  | { readonly type: 'crossing'; readonly place: OriginPlace }
  /** The agent's own code made it; `parts` are what it holds of earlier values. */
  | {
      readonly type: 'own-code';
      readonly after?: OriginCrossing;
      readonly before: OriginCrossing;
      readonly parts: readonly OriginSource[];
    };

/** Where a value of a run first appeared, step by step backwards. Version 1. */
export interface ValueOrigin {
  readonly version: 1;
  readonly traceId: string;
  /** What was asked for. */
  readonly asked: OriginPlace;
  readonly links: readonly OriginLink[];
  readonly origin: Origin;
  /** Limits of this answer that a reader must know. */
  readonly notes: readonly string[];
}
