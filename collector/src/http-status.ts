import type { ErrorCode, ReenactError } from '@reenact/trace-model';
import { RETRY_AFTER_MS } from './limits.ts';

/** How one error is answered over HTTP. The one place that says so. */
export interface HttpStatus {
  readonly status: number;
  /** google.rpc.Code for the body. */
  readonly rpcCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

const RETRY_AFTER = { 'retry-after': String(Math.ceil(RETRY_AFTER_MS / 1000)) };

const STATUSES: { readonly [code in ErrorCode]?: HttpStatus } = {
  'access-denied': { status: 403, rpcCode: 7, headers: {} },
  'cold-case': { status: 422, rpcCode: 9, headers: {} },
  'bad-request': { status: 400, rpcCode: 3, headers: {} },
  'not-found': { status: 404, rpcCode: 5, headers: {} },
  'too-large': { status: 413, rpcCode: 8, headers: {} },
  'tenant-busy': { status: 429, rpcCode: 8, headers: RETRY_AFTER },
  unauthenticated: { status: 401, rpcCode: 16, headers: { 'www-authenticate': 'Bearer' } },
  unsupported: { status: 415, rpcCode: 3, headers: {} },
  'store-busy': { status: 503, rpcCode: 14, headers: RETRY_AFTER },
  'store-failed': { status: 503, rpcCode: 14, headers: RETRY_AFTER },
};

/** Everything was accepted, or the rest is a partial success. */
export const HTTP_OK = 200;
/** The path exists, the method does not. */
export const HTTP_METHOD_NOT_ALLOWED: HttpStatus = { status: 405, rpcCode: 12, headers: { allow: 'POST' } };

/** The answer an error gets; what is not listed is a defect of the collector. */
export function statusOf(error: ReenactError): HttpStatus {
  return STATUSES[error.code] ?? { status: 500, rpcCode: 13, headers: {} };
}
