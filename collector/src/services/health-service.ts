import { readFileSync } from 'node:fs';
import {
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { protoMethods } from '@reenact/collector-client/replay-service';
import { HEALTH_WATCH_MS, SMALL_CALL_BYTES_MAX } from '../limits.ts';
import type { Store } from '../store/store.ts';
import type { OfferedService } from './offered-service.ts';
import { SIGNAL_SERVICES } from './signal-services.ts';

/** Where the health service is described. */
export const HEALTH_PROTO_FILE = new URL('../../proto/health.proto', import.meta.url);

interface HealthRequest {
  readonly service: string;
}

interface HealthResponse {
  readonly status: number;
}

type WatchCall = ServerWritableStream<HealthRequest, HealthResponse>;

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

/** `grpc.health.v1.Health`: of the whole server (the empty name), and of each OTLP service whether it takes requests. Those who watch are told of changes. Needs no token. */
export class HealthService {
  private readonly checks: HealthChecks;
  /** Who watches, and what each was told last. */
  private readonly watching = new Map<WatchCall, number | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

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
    const watch = (call: WatchCall): void => {
      this.watching.set(call, undefined);
      for (const event of ['cancelled', 'close', 'error']) call.on(event, () => this.forget(call));
      this.timer ??= setInterval(() => void this.look(), HEALTH_WATCH_MS).unref();
      void this.statusOf(call.request).then((found) => this.tell(call, found));
    };
    const implementation = { check, watch } as UntypedServiceImplementation;
    return { definition, scope: 'none', callBytesMax: SMALL_CALL_BYTES_MAX, implementation };
  }

  /** Tells those who watch that it is over, so that their streams hold up no stop. */
  stop(): void {
    for (const call of [...this.watching.keys()]) {
      this.tell(call, NOT_SERVING);
      this.forget(call);
      call.end();
    }
  }

  /** Asks once for each service that is watched, however many watch it. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    for (const service of new Set([...this.watching.keys()].map(({ request }) => request.service))) {
      const found = await this.statusOf({ service });
      for (const call of this.watching.keys()) if (call.request.service === service) this.tell(call, found);
    }
    this.isLooking = false;
  }

  /** Only what changes is told, so that nothing piles up for those who do not read. */
  private tell(call: WatchCall, found: number): void {
    if (!this.watching.has(call) || this.watching.get(call) === found) return;
    this.watching.set(call, found);
    call.write({ status: found });
  }

  private forget(call: WatchCall): void {
    this.watching.delete(call);
    if (this.watching.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
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
