import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { encodeRpcStatus } from '@reenact/otlp';
import { describeError, type ErrorCode, type ReenactError } from '@reenact/trace-model';
import { RETRY_AFTER_MS } from '../../limits.ts';

/** The only place of this receiver that maps errors to gRPC codes. Those with a RetryInfo may be sent again. */
const CODES: { readonly [code in ErrorCode]?: { readonly code: status; readonly isRetryable: boolean } } = {
  'bad-request': { code: status.INVALID_ARGUMENT, isRetryable: false },
  'too-large': { code: status.RESOURCE_EXHAUSTED, isRetryable: false },
  'store-busy': { code: status.UNAVAILABLE, isRetryable: true },
  'store-failed': { code: status.UNAVAILABLE, isRetryable: true },
};

/** The gRPC error an error is answered with; retryable ones carry a RetryInfo, as OTLP asks. */
export function statusOf(error: ReenactError): Partial<ServiceError> {
  const { code, isRetryable } = CODES[error.code] ?? { code: status.INTERNAL, isRetryable: false };
  const details = describeError(error).replaceAll('\n', ' ');
  if (!isRetryable) return { code, details };
  const metadata = new Metadata();
  const body = encodeRpcStatus({ code, message: details, retryDelayMs: RETRY_AFTER_MS });
  metadata.set('grpc-status-details-bin', Buffer.from(body));
  return { code, details, metadata };
}
