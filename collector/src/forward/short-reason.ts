import { offPair } from '@reenact/trace-model/words';

const REASON_CHARACTERS_MAX = 200;

/** A reason as it is counted and shown. */
export function shortReason(text: string): string {
  const reason = text.trim();
  return reason.slice(0, offPair(reason, REASON_CHARACTERS_MAX));
}
