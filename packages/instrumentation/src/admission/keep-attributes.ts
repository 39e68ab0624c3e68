import type { Attributes } from '@opentelemetry/api';
import { ATTR_REENACT_KEEP } from '@reenact/semconv/reenact';
import { redactAttributes } from '../redaction/places/redact-crossing.ts';

/** What the root of a run says that somebody asked to be kept. The reason may quote a user. */
export function keepAttributes(reason: string): Attributes {
  return redactAttributes({ [ATTR_REENACT_KEEP]: reason });
}
