import type { PlainValue } from '@reenact/otlp';

/** Attributes of a span as plain values. */
export type Attributes = ReadonlyMap<string, PlainValue>;
