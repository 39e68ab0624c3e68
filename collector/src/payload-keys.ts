import {
  ATTR_REENACT_ERROR,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
} from '@reenact/semconv/reenact';

/** The attributes that hold payloads: what a slim span leaves out, and what makes a span full. */
export const PAYLOAD_KEYS: readonly string[] = [
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_EXCHANGES,
];
