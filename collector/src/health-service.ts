import { readFileSync } from 'node:fs';
import {
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { protoMethods } from '@reenact/collector-client/replay-service';
import { SMALL_CALL_BYTES_MAX } from './limits.ts';
import type { OfferedService } from './offered-service.ts';
import { SIGNAL_SERVICES } from './receivers/otlp-grpc/config.ts';
import type { Store } from './store/store.ts';

/** Where the health service is described. */
export const HEALTH_PROTO_FILE = new URL('../proto/health.proto', import.meta.url);

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

const method = protoMethods(readFileSync(HEALTH_PROTO_FILE, 'utf8'), 'grpc.health.v1.Health');

const definition: ServiceDefinition = {
  check: method<HealthRequest, HealthResponse>('Check'),
  watch: method<HealthRequest, HealthResponse>('Watch'),
};

/** What health is made of; each rejects where it is bad. */
export type HealthChecks = Pick<Store, 'check' | 'checkAppend'>;

/** `grpc.health.v1.Health`: of the whole server (the empty name), and of each OTLP service whether it takes requests. Needs no token. */
export class HealthService {
  private readonly checks: HealthChecks;
  private readonly watching = new Set<ServerWritableStream<HealthRequest, HealthResponse>>();

  constructor(checks: HealthChecks) {
    this.checks = checks;
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
    const implementation = { check, watch } as UntypedServiceImplementation;
    return { definition, scope: 'none', callBytesMax: SMALL_CALL_BYTES_MAX, implementation };
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
    const { checks } = this;
    return checks
      .check()
      .then(() => (service === '' ? undefined : checks.checkAppend()))
      .then(
        () => SERVING,
        () => NOT_SERVING,
      );
  }
}
