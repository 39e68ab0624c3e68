import { Metadata, status } from '@grpc/grpc-js';
import { encodeRpcStatus } from '@reenact/otlp';
import { describeError, type ErrorCode, type ReenactError } from '@reenact/trace-model';
import { RETRY_AFTER_MS } from '../../limits.ts';
import { ERROR_CODE_KEY } from '../../services/error-code-key.ts';

/** The only place of this receiver that maps errors to gRPC codes. Those with a RetryInfo may be sent again. */
const CODES: { readonly [code in ErrorCode]?: { readonly code: status; readonly isRetryable: boolean } } = {
  'access-denied': { code: status.PERMISSION_DENIED, isRetryable: false },
  'bad-request': { code: status.INVALID_ARGUMENT, isRetryable: false },
  'too-large': { code: status.RESOURCE_EXHAUSTED, isRetryable: false },
  'tenant-busy': { code: status.RESOURCE_EXHAUSTED, isRetryable: true },
  unauthenticated: { code: status.UNAUTHENTICATED, isRetryable: false },
  unsupported: { code: status.UNIMPLEMENTED, isRetryable: false },
  'store-busy': { code: status.UNAVAILABLE, isRetryable: true },
  'store-failed': { code: status.UNAVAILABLE, isRetryable: true },
};

/** How a call that fails is answered. */
export interface GrpcStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** The gRPC error an error is answered with; retryable ones carry a RetryInfo, as OTLP asks. */
export function statusOf(error: ReenactError): GrpcStatus {
  const { code, isRetryable } = CODES[error.code] ?? { code: status.INTERNAL, isRetryable: false };
  const details = describeError(error).replaceAll('\n', ' ');
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_KEY, error.code);
  if (!isRetryable) return { code, details, metadata };
  const body = encodeRpcStatus({ code, message: details, retryDelayMs: RETRY_AFTER_MS });
  metadata.set('grpc-status-details-bin', Buffer.from(body));
  return { code, details, metadata };
}
