import { type EncodedValue, encodeValue as encodeExactly } from '@reenact/trace-model';
import type { RawOutcome } from './gate.ts';
import type { LiveOutcome } from './player.ts';
import { redactChunks, redactEncoded } from './redaction/redact-crossing.ts';

function encodeValue(value: unknown): EncodedValue {
  return redactEncoded(encodeExactly(value));
}

/** Encodes an outcome now, without secrets. Never throws: the value codec marks what it cannot keep. */
export function encodeOutcome(outcome: RawOutcome): LiveOutcome {
  switch (outcome.type) {
    case 'returned':
      return { type: 'returned', value: encodeValue(outcome.value) };
    case 'threw':
      return { type: 'threw', error: encodeValue(outcome.error) };
    case 'ended':
    case 'failed':
    case 'aborted':
      return { type: outcome.type, chunks: redactChunks(outcome.chunks), ...endOf(outcome) };
  }
}

type StreamOutcome = Extract<RawOutcome, { chunks: unknown }>;

function endOf(outcome: StreamOutcome): { value?: EncodedValue; error?: EncodedValue } {
  switch (outcome.type) {
    case 'ended':
      return outcome.value === undefined ? {} : { value: encodeValue(outcome.value) };
    case 'failed':
      return { error: encodeValue(outcome.error) };
    case 'aborted':
      return {};
  }
}

/** Encoded values of an outcome with the member of the payload that their lossy marks are told under. */
export function encodedParts(outcome: {
  readonly value?: EncodedValue;
  readonly error?: EncodedValue;
  readonly chunks?: readonly { readonly value: EncodedValue }[];
}): (readonly [member: string, encoded: EncodedValue])[] {
  return [
    ...(outcome.value === undefined ? [] : [['/output', outcome.value] as const]),
    ...(outcome.error === undefined ? [] : [['/error', outcome.error] as const]),
    ...(outcome.chunks ?? []).map(({ value }, index) => [`/chunks/${index}`, value] as const),
  ];
}

/** Lossy marks of one payload, their pointers moved below `member`. */
export function lossyBelow(member: string, marks: readonly string[]): string[] {
  return marks.map((mark) => (mark.startsWith('/ ') ? `${member}${mark.slice(1)}` : `${member}${mark}`));
}
