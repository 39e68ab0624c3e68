import type { Exchange } from '@reenact/trace-model';
import type { EventBlock } from './event-blocks.ts';

/** A tool call as a plan writes it; arguments are an object, or the exact text the model is to have written. */
export interface EditedToolCall {
  /** Default: the id of the recorded call at the same place, so that the tool's own crossing is still found by it. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly arguments: unknown;
}

/** What of a model's answer is changed; what is undefined stays as recorded. */
export interface AnswerEdit {
  readonly text?: string | undefined;
  /** All calls of the answer; an empty list takes the recorded ones away. */
  readonly toolCalls?: readonly EditedToolCall[] | undefined;
}

/** Which model really answered, and how: a difference is one of the environment, not of what was said. */
export interface ServedModel {
  readonly model?: unknown;
  readonly systemFingerprint?: unknown;
  readonly serviceTier?: unknown;
}

/** The body of an answer: one JSON document, or the events of a stream. */
export type AnswerBody =
  | { readonly type: 'json'; readonly body: unknown }
  | { readonly type: 'events'; readonly blocks: readonly EventBlock[] };

/** A part of an answer that later requests name by its id, and what it says. */
export interface NamedPart {
  readonly id: string;
  /** Free of ids, as a tree to compare. */
  readonly says: unknown;
}

/**
 * One provider protocol: reads what a model said out of a wire response, and frames another answer the way the provider
 * would have. Knows nothing of HTTP. One folder each.
 */
export interface ModelProtocol {
  readonly name: string;
  /** Whether a request was made in this protocol. */
  speaks(request: Exchange['request']): boolean;
  /** The body with the edit in it, valid to the provider's own client; undefined where it holds no answer to edit. */
  edit(body: AnswerBody, edit: AnswerEdit): AnswerBody | undefined;
  /** What the answer says, free of ids, times and counts, as a tree to compare; undefined where there is no answer in it. */
  meaning(body: AnswerBody): unknown;
  /** Its tool calls and whatever else of it has an id that a later request may name, in order. */
  namedParts(body: AnswerBody): readonly NamedPart[];
  servedModel(body: AnswerBody): ServedModel;
  /** The body with which the provider answers a failed request. */
  problem(status: number): unknown;
}
