import {
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { SIGNAL_SERVICES } from './receivers/otlp-grpc/config.ts';
import type { OfferedService } from './replay-service/replay-service.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  package grpc.health.v1;
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse { int32 status = 1; }
`);
const requestType = root.lookupType('grpc.health.v1.HealthCheckRequest');
const responseType = root.lookupType('grpc.health.v1.HealthCheckResponse');

interface HealthRequest {
  readonly service: string;
}

interface HealthResponse {
  readonly status: number;
}

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

const known: ReadonlySet<string> = new Set(['', ...SIGNAL_SERVICES.map(({ path }) => path.split('/')[1] ?? '')]);

function describe(name: string, responseStream: boolean) {
  return {
    path: `/grpc.health.v1.Health/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: (message: HealthRequest) => Buffer.from(requestType.encode(message).finish()),
    requestDeserialize: (bytes: Buffer) => ({ service: '', ...requestType.decode(bytes).toJSON() }) as HealthRequest,
    responseSerialize: (message: HealthResponse) => Buffer.from(responseType.encode(message).finish()),
    responseDeserialize: (bytes: Buffer) => ({ status: 0, ...responseType.decode(bytes).toJSON() }) as HealthResponse,
  };
}

const definition: ServiceDefinition = { check: describe('Check', false), watch: describe('Watch', true) };

/** `grpc.health.v1.Health`: of the whole server (the empty name) and of each OTLP service. Needs no token. */
export class HealthService {
  private readonly check: () => Promise<void>;
  private readonly watching = new Set<ServerWritableStream<HealthRequest, HealthResponse>>();

  /** `check` rejects while the store does not serve. */
  constructor(check: () => Promise<void>) {
    this.check = check;
  }

  /** What a server offers. */
  offered(): OfferedService {
    const check: handleUnaryCall<HealthRequest, HealthResponse> = (call, callback) => {
      void this.statusOf(call.request).then((found) => {
        if (found !== SERVICE_UNKNOWN) callback(null, { status: found });
        else callback({ code: status.NOT_FOUND, details: 'There is no such service.' });
      });
    };
    const watch = (call: ServerWritableStream<HealthRequest, HealthResponse>): void => {
      this.watching.add(call);
      call.on('cancelled', () => this.watching.delete(call));
      void this.statusOf(call.request).then((found) => call.write({ status: found }));
    };
    return { definition, scope: 'none', implementation: { check, watch } as UntypedServiceImplementation };
  }

  /** Tells those who watch that it is over, so that their streams hold up no stop. */
  stop(): void {
    for (const call of this.watching) {
      call.write({ status: NOT_SERVING });
      call.end();
    }
    this.watching.clear();
  }

  private async statusOf({ service }: HealthRequest): Promise<number> {
    if (!known.has(service)) return SERVICE_UNKNOWN;
    return this.check().then(
      () => SERVING,
      () => NOT_SERVING,
    );
  }
}
