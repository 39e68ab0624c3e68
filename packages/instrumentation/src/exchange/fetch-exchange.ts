/** One attempt as it goes out at the `fetch` layer. */
export interface FetchAttempt {
  /** 0-based number of the attempt within its crossing. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
  /** The body as `fetch` gets it; text and bytes are kept, streams and forms are not. */
  readonly body: unknown;
  /** The crossing's input as text: a body equal to it is kept once. */
  readonly inputText: string | undefined;
  /** Aborts the attempt; tells an abort from a failure. */
  readonly signal: AbortSignal | undefined;
}

/** How the exchange's body is judged where only the provider's protocol can tell. */
export interface FetchExchangeProtocol {
  /**
   * Whether a body the host stopped reading had already said everything, because its last words were a completion
   * sentinel. `tail` is the end of what was read, at least COMPLETION_TAIL_CHARACTERS_MAX characters where there are so many.
   */
  isWhole?(tail: string): boolean;
}
