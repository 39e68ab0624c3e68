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
