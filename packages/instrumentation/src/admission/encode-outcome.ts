import { type EncodedValue, encodeValue as encodeExactly, type StreamReader } from '@reenact/trace-model';
import type { RawOutcome } from '../gate/gate.ts';
import type { LiveOutcome } from '../gate/player.ts';
import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { redactChunks, redactEncoded } from '../redaction/places/redact-crossing.ts';

function encodeValue(value: unknown, redacted?: readonly string[]): EncodedValue {
  return redactEncoded(encodeExactly(value), redacted);
}

/** A stack becomes text when it is first read, by a function of the host, which may draw: here it is we who look. */
function encodeError(error: unknown, isMadeAgain: boolean | undefined): EncodedValue {
  guarded('reading a stack', () => (error instanceof Error ? asOwnWork(() => error.stack) : undefined), undefined);
  const encoded = encodeValue(error);
  return isMadeAgain === true ? { ...encoded, lossy: [] } : encoded;
}

/** Encodes an outcome now, without secrets. Never throws: the value codec marks what it cannot keep. */
export function encodeOutcome(outcome: RawOutcome): LiveOutcome {
  switch (outcome.type) {
    case 'returned':
      return { type: 'returned', value: encodeValue(outcome.value, outcome.redacted) };
    case 'threw':
      return { type: 'threw', error: encodeError(outcome.error, outcome.isMadeAgain) };
    case 'ended':
    case 'failed':
    case 'aborted':
      return { type: outcome.type, chunks: redactChunks(outcome.chunks), ...endOf(outcome) };
  }
}

type StreamOutcome = Extract<RawOutcome, { chunks: unknown }>;

function endOf(outcome: StreamOutcome): { value?: EncodedValue; error?: EncodedValue; reader?: StreamReader } {
  switch (outcome.type) {
    case 'ended':
      return outcome.value === undefined ? {} : { value: encodeValue(outcome.value) };
    case 'failed':
      return { error: encodeError(outcome.error, outcome.isMadeAgain) };
    case 'aborted':
      return outcome.reader === undefined ? {} : { reader: outcome.reader };
  }
}

/** Encoded values of an outcome with the member of the payload that their lossy marks are told under. */
export function encodedParts({
  value,
  error,
  chunks,
}: {
  readonly value?: EncodedValue;
  readonly error?: EncodedValue;
  readonly chunks?: readonly { readonly value: EncodedValue }[];
}): (readonly [member: string, encoded: EncodedValue])[] {
  const parts: (readonly [member: string, encoded: EncodedValue])[] = [];
  if (value !== undefined) parts.push(['/output', value]);
  if (error !== undefined) parts.push(['/error', error]);
  for (const [index, chunk] of chunks?.entries() ?? []) parts.push([`/chunks/${index}`, chunk.value]);
  return parts;
}

/** Adds the lossy marks of one payload to those of its crossing, their pointers moved below `member`. */
export function addLossyBelow(marks: string[], member: string, ofPayload: readonly string[]): void {
  for (const mark of ofPayload) marks.push(mark.startsWith('/ ') ? `${member}${mark.slice(1)}` : `${member}${mark}`);
}
