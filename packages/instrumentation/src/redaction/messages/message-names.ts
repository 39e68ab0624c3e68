/** What is known of one field of a message by its definition. */
export interface FieldName {
  readonly name: string;
  /** What a length-delimited field holds. `other`: packed numbers. */
  readonly holds: 'text' | 'bytes' | 'message' | 'other';
  /** The message it holds; undefined where its definition is not known. */
  readonly message?: () => MessageNames | undefined;
}

/** What the definition of a kind of message says of its fields: bytes on a wire have numbers for names. */
export interface MessageNames {
  /** `<package>.<message>`. */
  readonly name: string;
  /** Whether it is an entry of a map: the text of its field 1 names what its field 2 holds. */
  readonly isMapEntry: boolean;
  /** By number. */
  readonly fields: ReadonlyMap<number, FieldName>;
}
