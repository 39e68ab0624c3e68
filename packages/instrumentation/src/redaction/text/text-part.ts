/** A part of a text that is one JSON document, or plain text. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
  /** Plain text even if it looks like JSON. */
  readonly isPlain?: true;
}
