import { type Members, membersOf } from '@reenact/instrumentation';
import { readServerSentEvents } from '@reenact/trace-model';

/** What an answer says of the model call it ends; each member absent where it does not. */
export interface ModelAnswer {
  readonly model?: string | undefined;
  readonly id?: string | undefined;
  readonly finishReasons?: readonly string[] | undefined;
  /** All input tokens, cached ones included, as the conventions count them. */
  readonly inputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** All output tokens, those of reasoning included. */
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** A body as it can be read, and the headers it came with, names in lower case. */
export interface AnswerBody {
  readonly bytes: Buffer;
  readonly contentType: string;
  header(name: string): string | undefined;
}

/** The sum of what is known; undefined where nothing is. */
export function sumOf(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** The value of a JSON text; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The objects in a body: one, or of a stream each, sent as events, as lines or as one list. What cannot be read is left out. */
export function answersIn({ bytes, contentType }: AnswerBody): Members[] {
  const text = bytes.toString('utf8');
  const values = /^text\/event-stream\b/i.test(contentType)
    ? readServerSentEvents(text).map(({ data }) => jsonOf(data))
    : [jsonOf(text) ?? text.split('\n').map(jsonOf)].flat();
  return values.filter((value) => typeof value === 'object' && value !== null).map(membersOf);
}

/** All that several objects say together: the later counts, but for what it leaves empty. */
export function merged(values: readonly unknown[]): Members {
  const said = values.flatMap((value) => Object.entries(membersOf(value)));
  return Object.fromEntries(said.filter(([, value]) => value !== null && value !== undefined));
}
