import type { Crossing } from '@reenact/trace-model';

/** The boundary that a request to a provider crosses, as recordings name it. */
export interface ServedBoundary {
  readonly kind: 'model' | 'embedding';
  readonly name: string;
}

/** One whole HTTP answer; each chunk is written on its own. */
export interface ServedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly chunks: readonly string[];
}

/** Something that could not be answered, to be told in the provider's own error format. */
export interface ServedProblem {
  readonly status: number;
  /** `reenact_never_recorded` and the like, for programs. */
  readonly code: string;
  readonly message: string;
}

/** A request that is not a crossing. */
export interface PlainRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/**
 * What a provider's HTTP protocol adds to a replay: addresses, error format, and how an answer is put together where only
 * GenAI attributes were recorded. Looking up, consuming and comparing are not its business. Pure.
 */
export interface ServeProtocol {
  readonly name: string;
  /** Variables that point an unmodified agent at `url`, which has no path. */
  environment(url: string): Readonly<Record<string, string>>;
  /** The boundary a request crosses, or undefined where the address is none of inference. */
  boundaryOf(request: PlainRequest): ServedBoundary | undefined;
  /** The answer to a request that crosses no boundary and needs no recording, such as a list of models. */
  plainAnswer(request: PlainRequest, crossings: readonly Crossing[]): ServedAnswer | undefined;
  /** The boundary at which a recorded crossing is served, or undefined where this protocol did not carry it. */
  servedAt(crossing: Crossing): ServedBoundary | undefined;
  /** Whether answers at the boundary of this name can be put together from GenAI attributes. */
  rebuilds(boundaryName: string): boolean;
  /** The answer to `request`, put together from a reconstructed crossing of a boundary that `rebuilds`. */
  rebuild(crossing: Crossing, request: unknown): ServedAnswer;
  problem(problem: ServedProblem): ServedAnswer;
}
