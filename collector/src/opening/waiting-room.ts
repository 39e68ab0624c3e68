import { setTimeout as sleep } from 'node:timers/promises';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import { API_OPERATIONS, API_PREFIX } from '@reenact/trace-model/collector-api';
import type { Authorizer } from '../access/authorizer.ts';
import type { LiveTls } from '../access/live-access.ts';
import type { CollectorConfig } from '../config.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import { createCounters } from '../counters.ts';
import { HealthService } from '../health-service.ts';
import { startHttpServer } from '../http-server.ts';
import type { Log } from '../log.ts';
import type { Answerer } from '../query/answer.ts';
import { answerLive } from '../query/health.ts';
import { answerQuestion, HEALTH_PREFIX, type QuestionTable } from '../query/router.ts';
import { startOtlpGrpcReceiver } from '../receivers/otlp-grpc/receiver.ts';
import { createOtlpHttpReceiver } from '../receivers/otlp-http/receiver.ts';
import { Refusals } from '../refusals.ts';
import { RepeatedLog } from '../repeated-log.ts';
import type { OpeningStep } from '../store/opening-step.ts';
import { METRICS_PATH } from '../telemetry/metrics-endpoint.ts';
import { ClosedAdmission } from './closed-admission.ts';

/** What the room is opened with. */
export interface WaitingRoomOptions {
  readonly config: CollectorConfig;
  readonly authorizer: Authorizer;
  readonly tls: LiveTls | undefined;
  readonly log: Log;
  /** How long an opening may take from its first step on before anybody is told, milliseconds: most take far less. */
  readonly quietMs?: number;
  /** How often the log says how far it is, milliseconds. */
  readonly tellEveryMs?: number;
}

const QUIET_MS = 5_000;
const TELL_EVERY_MS = 10_000;
/** How long its end waits for answers in flight, milliseconds: each is a few words. */
const STOP_GRACE_MS = 500;

/**
 * Serves while a store opens for long, as behind an upgrade: the process is live and not ready, senders are told to send again, and the log says how far
 * it is. A supervisor would otherwise take it for one that hangs. Ports that were to be picked are not, as nobody knows them yet.
 */
export class WaitingRoom {
  private readonly options: WaitingRoomOptions;
  private readonly closers: (() => Promise<void> | void)[] = [];
  private step: OpeningStep = { what: 'opening the store', done: 0, total: 0 };
  private readonly begun = Promise.withResolvers<void>();

  constructor(options: WaitingRoomOptions) {
    this.options = options;
  }

  /** Notes how far the opening is. */
  tell(step: OpeningStep): void {
    this.step = step;
    this.begun.resolve();
  }

  /** Gives what was opened, or throws why it was not; nothing listens any more then. */
  async during<Opened>(opening: Promise<Opened>): Promise<Opened> {
    const { quietMs = QUIET_MS } = this.options;
    const settled = new AbortController();
    const end = opening.then(
      () => settled.abort(),
      () => settled.abort(),
    );
    // The start of a thread is not work of the store, and takes long where the machine is busy.
    const quiet = () => sleep(quietMs, undefined, { signal: settled.signal }).catch(() => undefined);
    await Promise.race([end, this.begun.promise.then(quiet)]);
    if (settled.signal.aborted) return opening;
    const startedAt = performance.now();
    try {
      await this.enter();
      const opened = await opening;
      this.options.log.info('store opened', { seconds: Math.round((performance.now() - startedAt + quietMs) / 1000) });
      return opened;
    } finally {
      for (const close of this.closers.reverse()) await close();
    }
  }

  private async enter(): Promise<void> {
    const { log, tellEveryMs = TELL_EVERY_MS, config } = this.options;
    this.tellLog();
    const timer = setInterval(() => this.tellLog(), tellEveryMs);
    this.closers.push(() => clearInterval(timer));
    const refusals = new Refusals(createCounters(), log);
    this.closers.push(() => refusals.stop());
    // A port that cannot be had is a failure of the start itself, which tries it again once the store is open.
    const listen = async (port: number, start: () => Promise<{ stop: () => Promise<void> }>) => {
      if (port === 0) return;
      try {
        const server = await start();
        this.closers.push(() => server.stop());
      } catch (thrown) {
        const { message, next = '' } = toReenactError(thrown);
        log.error('not listening while the store opens', { message, next });
      }
    };
    await listen(config.httpPort, () => this.startHttp(refusals));
    await listen(config.grpcPort, () => this.startGrpc(refusals));
  }

  private tellLog(): void {
    const next =
      'Nothing is received until it is done; senders are told to send again. Killed, it goes on at the next start.';
    this.options.log.warn('store still opens', { ...this.step, next });
  }

  private receiver(refusals: Refusals) {
    const { config, authorizer, tls } = this.options;
    const { stallMs, timeMaxMs } = { stallMs: config.limits.requestStallMs, timeMaxMs: config.limits.requestTimeMaxMs };
    return {
      ingest: () => Promise.reject(this.notYet()),
      admission: new ClosedAdmission(() => this.notYet()),
      refusals,
      authorizer,
      tls,
      requestBytesMax: config.requestBytesMax,
      requestTimes: { stallMs, timeMaxMs },
      host: config.host,
      stopGraceMs: STOP_GRACE_MS,
      connectionLimit: new ConnectionLimit(),
    };
  }

  private startHttp(refusals: Refusals) {
    const { config, authorizer, log } = this.options;
    const parts = this.receiver(refusals);
    const receive = createOtlpHttpReceiver(parts);
    const unanswered = new RepeatedLog();
    this.closers.push(() => unanswered.stop());
    const router = { authorizer, questions: this.questions(), log, unanswered };
    const onUnreadable = (error: ReenactError, peer?: string) => refusals.unreadable(error, 'http', peer);
    return startHttpServer({ ...parts, port: config.httpPort, onUnreadable }, (request, response) => {
      const url = URL.parse(request.url ?? '/', 'http://collector') ?? new URL('http://collector/');
      if (!receive(url.pathname, request, response)) void answerQuestion(router, url, request, response);
    });
  }

  private async startGrpc(refusals: Refusals) {
    const refuse = () => Promise.reject(this.notYet());
    const health = new HealthService({ check: refuse, checkAppend: refuse });
    const services = [health.offered()];
    const server = await startOtlpGrpcReceiver({
      ...this.receiver(refusals),
      port: this.options.config.grpcPort,
      services,
    });
    return {
      stop: () => {
        health.stop();
        return server.stop();
      },
    };
  }

  private questions(): QuestionTable {
    const answerNotYet: Answerer = () => Promise.reject(this.notYet());
    const paths = Object.values(API_OPERATIONS).map(({ path }) => `${API_PREFIX}${path}`);
    const notYet = [...paths, METRICS_PATH, `${HEALTH_PREFIX}/ready`].map((path) => [path, answerNotYet] as const);
    return new Map([...notYet, [`${HEALTH_PREFIX}/live`, answerLive]]);
  }

  private notYet(): ReenactError {
    const { what, done, total } = this.step;
    const share = total === 0 ? '' : ` (${Math.floor((100 * Math.min(done, total)) / total)} %)`;
    const next = 'Try again; exporters do so by themselves.';
    return new ReenactError('store-busy', `The store is being opened: ${what}${share}.`, { next, retryable: true });
  }
}
