import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS, API_PREFIX } from '@reenact/trace-model/collector-api';
import type { Authorizer } from '../access/authorizer.ts';
import type { LiveTls } from '../access/live-tls.ts';
import type { CollectorConfig } from '../config.ts';
import { askForBody } from '../connections/ask-for-body.ts';
import { ConnectionLimit } from '../connections/connection-limit.ts';
import { type HttpServer, startHttpServer } from '../connections/http-server.ts';
import type { RequestTimes } from '../connections/stall-watch.ts';
import type { ReceivedCounters } from '../counters.ts';
import type { Log } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import { memoryShareOf } from '../memory/memory-share.ts';
import type { PageFiles } from '../page/page-files.ts';
import type { Answerer } from '../query/answer.ts';
import { answerLive } from '../query/health.ts';
import { answerQuestion, HEALTH_PREFIX, type QuestionTable } from '../query/router.ts';
import { Admission } from '../receivers/admission.ts';
import type { Ingest, IngestRequest } from '../receivers/ingest.ts';
import { type OtlpGrpcReceiver, startOtlpGrpcReceiver } from '../receivers/otlp-grpc/receiver.ts';
import { createOtlpHttpReceiver } from '../receivers/otlp-http/receiver.ts';
import { ReflectionService } from '../reflection/reflection-service.ts';
import { Refusals } from '../refusals.ts';
import { ReplayRegistry } from '../replay-service/replay-registry.ts';
import { createReplayService } from '../replay-service/replay-service.ts';
import { type HealthChecks, HealthService } from '../services/health-service.ts';
import type { OfferedService } from '../services/offered-service.ts';
import { SIGNAL_SERVICES } from '../services/signal-services.ts';
import { METRICS_PATH } from '../telemetry/metrics-endpoint.ts';

/** What stands behind the ports. */
export interface Served {
  readonly ingest: Ingest;
  readonly checks: HealthChecks;
  readonly questions: QuestionTable;
  /** `GET /metrics`. */
  readonly metrics: RequestListener;
}

/** What an entrance is made of. */
export interface EntranceOptions {
  readonly config: CollectorConfig;
  readonly authorizer: Authorizer;
  readonly tls: LiveTls | undefined;
  readonly log: Log;
  readonly counters: ReceivedCounters;
  /** Undefined where none is served. */
  readonly page: PageFiles | undefined;
}

/** How long a stop waits for answers in flight where nothing was ever served: each is a few words. */
const REFUSING_STOP_GRACE_MS = 500;

function requestTimesOf({ limits }: CollectorConfig): RequestTimes {
  return { stallMs: limits.requestStallMs, timeMaxMs: limits.requestTimeMaxMs };
}

/**
 * The two ports, and all that comes before the store. What stands behind them is changed without letting go of a port or a connection: a store that
 * opens for long is waited for so. `stop` ends all of it; a second call waits for the first.
 */
export class Entrance {
  readonly admission: Admission;
  readonly refusals: Refusals;
  private readonly options: EntranceOptions;
  private readonly replays: ReplayRegistry;
  private readonly health: HealthService;
  private readonly reflection: ReflectionService | undefined;
  private readonly services: readonly OfferedService[];
  private readonly connectionLimit = new ConnectionLimit();
  private readonly unanswered = new RepeatedLog();
  private served: Served | undefined;
  private readonly refuse: () => Promise<never>;
  private readonly refused: QuestionTable;
  private http: HttpServer | undefined;
  private grpc: OtlpGrpcReceiver | undefined;
  private stopping: Promise<void> | undefined;

  /** Nothing is served yet, because of `why`. */
  constructor(options: EntranceOptions, why: () => ReenactError) {
    const { config, authorizer, log, counters } = options;
    this.options = options;
    this.connectionLimit.tellScarce(log);
    // A file without tokens may have some later.
    const isShared = !authorizer.isOpen || config.tokensFile !== undefined;
    this.admission = new Admission(config.bytesInFlightMax, isShared);
    this.refusals = new Refusals(counters, log);
    this.replays = new ReplayRegistry({ ...replayLimitsOf(config), isShared });
    this.refuse = () => Promise.reject(why());
    this.refused = refusedQuestions(this.refuse);
    this.health = new HealthService({
      check: () => this.served?.checks.check() ?? this.refuse(),
      checkAppend: () => this.served?.checks.checkAppend() ?? this.refuse(),
    });
    const requestTimes = requestTimesOf(config);
    const described = [createReplayService(this.replays, { authorizer, requestTimes }), this.health.offered()];
    this.reflection = config.reflection.isOn ? new ReflectionService(serviceNames(described)) : undefined;
    this.services = [...described, ...(this.reflection?.offered() ?? [])];
    this.admission.close(why);
  }

  /** Whether people can look at recordings here. */
  get hasPage(): boolean {
    return this.options.page !== undefined;
  }

  /** What has come and was not answered yet: requests over HTTP, calls over gRPC, and connections of both. */
  get openRequests(): Readonly<Record<'requests' | 'calls' | 'connections' | 'bytesInFlight', number>> {
    const { http, grpc, connectionLimit, admission } = this;
    const counts = { requests: http?.requestsOpen ?? 0, calls: grpc?.callsOpen ?? 0 };
    return { ...counts, connections: connectionLimit.connectionsOpen, bytesInFlight: admission.bytesHeld };
  }

  /** From now on this is served. */
  serve(served: Served): void {
    this.served = served;
    this.admission.open();
  }

  /** Listens for HTTP where it does not yet, and gives the port. Throws ReenactError `port-taken` or `bad-config`. */
  async openHttp(): Promise<number> {
    const { config, tls } = this.options;
    const receive = createOtlpHttpReceiver(this.receiver());
    const onUnreadable = (error: ReenactError, peer?: string) => this.refusals.unreadable(error, 'http', peer);
    const { connectionLimit } = this;
    const listening = { host: config.host, port: config.httpPort, tls, stopGraceMs: config.limits.stopGraceMs };
    this.http ??= await startHttpServer({ ...listening, connectionLimit, onUnreadable }, (request, response) => {
      const url = URL.parse(request.url ?? '/', 'http://collector') ?? new URL('http://collector/');
      if (receive(url.pathname, request, response)) return;
      // Nobody else reads a body, and whoever sends one all the same is answered behind it.
      askForBody(request, response);
      this.answer(url, request, response);
    });
    return this.http.port;
  }

  /** Listens for gRPC, likewise. */
  async openGrpc(): Promise<number> {
    const { config, tls } = this.options;
    const { services, connectionLimit } = this;
    const listening = { host: config.host, port: config.grpcPort, tls, stopGraceMs: config.limits.stopGraceMs };
    this.grpc ??= await startOtlpGrpcReceiver({ ...this.receiver(), ...listening, connectionLimit, services });
    return this.grpc.port;
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopOnce();
    return this.stopping;
  }

  private async stopOnce(): Promise<void> {
    // Ended first: streams of replays, of health and of reflection that go on would hold the server up.
    this.reflection?.stop();
    this.health.stop();
    this.replays.stop();
    const graceMs = this.served === undefined ? REFUSING_STOP_GRACE_MS : this.options.config.limits.stopGraceMs;
    await Promise.all([this.grpc?.stop(graceMs), this.http?.stop(graceMs)]);
    this.unanswered.stop();
    this.refusals.stop();
  }

  private receiver() {
    const { config, authorizer } = this.options;
    const { admission, refusals } = this;
    return {
      ingest: (request: IngestRequest) => this.served?.ingest(request) ?? this.refuse(),
      admission,
      refusals,
      authorizer,
      requestBytesMax: config.requestBytesMax,
      requestTimes: requestTimesOf(config),
      memoryShare: memoryShareOf(config.memoryBytesMax),
    };
  }

  private answer(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const { authorizer, log, page } = this.options;
    const { served, unanswered } = this;
    if (page?.answer(url.pathname, request, response) === true) return;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (served !== undefined && url.pathname === METRICS_PATH && isRead) {
      served.metrics(request, response);
      return;
    }
    const questions = served?.questions ?? this.refused;
    void answerQuestion({ authorizer, questions, log, unanswered }, url, request, response);
  }
}

function replayLimitsOf({ limits }: CollectorConfig) {
  return {
    replaysMax: limits.replaysMax,
    bytesMax: limits.replayBytesMax,
    membersMax: limits.replayMembersMax,
    lifeMaxMs: limits.replayLifeMaxMs,
    gatherMaxMs: limits.replayGatherMaxMs,
  };
}

/** Full names of the services of the gRPC server: those of OTLP, and these. */
function serviceNames(offered: readonly OfferedService[]): string[] {
  const paths = [...SIGNAL_SERVICES, ...offered.map(({ definition }) => Object.values(definition)[0])];
  return paths.map((method) => method?.path.split('/')[1] ?? '');
}

function refusedQuestions(refuse: Answerer): QuestionTable {
  const paths = Object.values(API_OPERATIONS).map(({ path }) => `${API_PREFIX}${path}`);
  const refused = [...paths, METRICS_PATH, `${HEALTH_PREFIX}/ready`].map((path) => [path, refuse] as const);
  return new Map([...refused, [`${HEALTH_PREFIX}/live`, answerLive]]);
}
