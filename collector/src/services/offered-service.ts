import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Scope } from '../access/scopes.ts';

/** A service that the collector's gRPC server offers beside OTLP. */
export interface OfferedService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
  /** What a caller's token must be good for; `any` takes every known token, `none` takes callers without one. */
  readonly scope: Scope | 'any' | 'none';
  /** Most bytes that one call may send, on the wire and inflated; where nothing is said, each message may be as large as a request. */
  readonly callBytesMax?: number;
}
