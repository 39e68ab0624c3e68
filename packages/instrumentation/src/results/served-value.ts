import { decodeValue, isIntact, type Payload, ReenactError, type StreamChunk } from '@reenact/trace-model';
import type { Admission } from '../gate/gate.ts';

/** An admission that is answered from the recording. */
export type StubAdmission = Extract<Admission, { type: 'stub' }>;

function whereOf({ recorded }: StubAdmission): string {
  return recorded.path;
}

/**
 * The recorded value, made afresh. Throws where it was not recorded, or is not what was recorded: a stub never serves
 * something else in its place.
 */
export function servedValue(admission: StubAdmission, payload: Payload | undefined, what: string): unknown {
  if (payload?.data === undefined) {
    throw admission.exhausted(`${what} of ${whereOf(admission)} was not recorded, so it cannot be served.`);
  }
  if (!isIntact(payload)) {
    throw new ReenactError('recording-damaged', `${what} does not match the digest taken when it was recorded.`, {
      where: whereOf(admission),
      next: 'Get the recording again from the collector, or export it again.',
    });
  }
  return decodeValue(payload);
}

/** The chunk, made afresh. */
export function servedChunk(admission: StubAdmission, chunk: StreamChunk): unknown {
  return servedValue(admission, chunk.value, 'A chunk');
}

/** A recorded chunk in the form in which a live outcome tells it, given now, so many rounds of promise reactions after it was asked for. */
export function chunkAsServed(
  { crossing }: StubAdmission,
  { value }: StreamChunk,
  microtasks?: number,
): {
  offsetUs: number;
  microtasks: number | undefined;
  value: { payload: Payload; lossy: [] };
} {
  return { offsetUs: crossing.elapsedUs(), microtasks, value: { payload: value, lossy: [] } };
}
