import { type Attributes, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import { ATTR_REENACT_UNCAUGHT } from '@reenact/semconv/reenact';
import { redactAttributes, redactText } from '../redaction/places/redact-crossing.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';
import { messageOf, typeOf } from './failed-outcome.ts';

/** What the root of a run says whose code an error came of that nothing caught, without secrets. Never throws. */
export function uncaughtAttributes({ error, origin }: UncaughtError): Attributes {
  return redactAttributes({ [ATTR_ERROR_TYPE]: typeOf(error), [ATTR_REENACT_UNCAUGHT]: origin });
}

/** The status of the same where its outcome is no error. Its message is content. */
export function uncaughtStatus({ error }: UncaughtError): SpanStatus {
  return { code: SpanStatusCode.ERROR, message: redactText(`${typeOf(error)}: ${messageOf(error)}`) };
}
