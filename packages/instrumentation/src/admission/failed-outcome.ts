import { errorType } from '@reenact/trace-model';
import type { RawOutcome } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';

/** What the conventions call an error of which no name is known. */
const UNKNOWN_ERROR = '_OTHER';

/** An outcome that is an error: of whatever was thrown, which need be none. */
export type FailedOutcome = RawOutcome & { readonly type: 'threw' | 'failed' };

/** Whether a call threw, or the stream that it gave failed. */
export function hasFailed(outcome: RawOutcome): outcome is FailedOutcome {
  return outcome.type === 'threw' || outcome.type === 'failed';
}

/** What was thrown as a text; empty where none can be made of it, as of an object without a prototype. Never throws. */
export function messageOf(thrown: unknown): string {
  return guarded('reading a message', () => String(thrown instanceof Error ? thrown.message : thrown), '');
}

/** The `error.type` of what was thrown. Never throws. */
export function typeOf(thrown: unknown): string {
  return guarded('naming an error', () => errorType(thrown), UNKNOWN_ERROR);
}
