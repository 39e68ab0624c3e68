import {
  ATTR_REENACT_DRAWS,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_PROCESS_DRAWS,
} from '@reenact/semconv/reenact';

/** The attributes that hold payloads: what makes a span full. */
export const PAYLOAD_KEYS: readonly string[] = [
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_EXCHANGES,
];

/** What nobody but a replay reads, and a slim span leaves out. What was drawn holds keys where random bytes are recorded. */
export const REPLAY_KEYS: readonly string[] = [...PAYLOAD_KEYS, ATTR_REENACT_DRAWS, ATTR_REENACT_PROCESS_DRAWS];
