import type { RequestListener } from 'node:http';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { isLoopback, ReenactError, toReenactError } from '@reenact/trace-model';
import type { Authorizer } from './access/authorizer.ts';
import { FileWatch } from './access/file-watch.ts';
import { isEverywhere } from './access/is-everywhere.ts';
import { LiveAccess } from './access/live-access.ts';
import { type CollectorConfig, type CollectorConfigInput, parseCollectorConfig } from './config.ts';
import { createCounters } from './counters.ts';
import { Forwarder } from './forward/forwarder.ts';
import { liveSenderAccess } from './forward/sender-access.ts';
import { MEMORY_BESIDE_REQUESTS_BYTES } from './limits.ts';
import { createLog, type Log, type LogSink } from './logging/log.ts';
import { RepeatedLog } from './logging/repeated-log.ts';
import { collectorMemoryOf, memoryShareOf } from './memory/memory-share.ts';
import { OpenParts } from './open-parts.ts';
import { Entrance } from './opening/entrance.ts';
import { openWhenFree } from './opening/open-when-free.ts';
import { WaitingRoom } from './opening/waiting-room.ts';
import { PageFiles } from './page/page-files.ts';
import { newCollectorId } from './passed-collectors.ts';
import { ComparisonThread } from './query/comparison/comparison-thread.ts';
import { FollowPlaces } from './query/follow-place.ts';
import { DELETIONS_REMEMBERED_MAX } from './query/limits.ts';
import { PriceTable } from './query/price-table.ts';
import { createQuestions } from './query/questions.ts';
import { type CollectorStats, gatherStats, type StatsSources } from './query/stats.ts';
import { Summariser } from './query/summaries/summariser.ts';
import { RecentDeletions } from './query/tail/recent-deletions.ts';
import { Tail } from './query/tail/tail.ts';
import { ContentReferences, type OnUnfetched } from './query/traces/content-references.ts';
import { StoredTraces } from './query/traces/stored-traces.ts';
import { createIngest } from './receivers/ingest.ts';
import { StoreRequests } from './requests/store-requests.ts';
import { RetentionSchedule, retentionPolicyOf } from './retention/retention-schedule.ts';
import { noteHolder } from './store/holder-note.ts';
import { openStore } from './store/open-store.ts';
import type { RebuiltIndex, Store } from './store/store.ts';
import type { MetricsSources } from './telemetry/collector-metrics.ts';
import { Latency } from './telemetry/latency.ts';
import { answerMetrics } from './telemetry/metrics-endpoint.ts';
import { refuseOwnAddress } from './telemetry/refuse-own-address.ts';

/** A collector that listens. */
export interface RunningCollector {
  /** `http://127.0.0.1:4318`: OTLP/HTTP and the query API. */
  readonly httpUrl: string;
  /** `http://127.0.0.1:4317`: OTLP/gRPC. */
  readonly grpcUrl: string;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Where the page is that people look at recordings with; undefined where there is none. */
  readonly pageUrl: string | undefined;
  stats(): Promise<CollectorStats>;
  /**
   * Reads the files of tokens and certificates again now, those of destinations included; they are also looked at every `limits.accessCheckMs`. What cannot be
   * used is logged, and what was in use stays. Never throws.
   */
  reload(): void;
  /** Finishes requests in flight, commits, and lets go of ports and files. A second call waits for the first. */
  stop(): Promise<void>;
}

/** What a collector is given beside its configuration. */
export interface CollectorOptions {
  /** Takes the lines of the log, one JSON object each; without it none are written. */
  readonly log?: LogSink;
  /** Aborted, a start that is in work ends soon, with `store-failed` and nothing left open; the next one goes on. Nothing to a collector that runs. */
  readonly signal?: AbortSignal;
  /** A folder with the files of the page that people look at recordings with; without it there is none. */
  readonly pageDirectory?: string;
}

interface Parts {
  readonly store: Store;
  readonly traces: StoredTraces;
  readonly summariser: Summariser;
  readonly places: FollowPlaces;
  readonly prices: PriceTable;
  readonly tail: Tail;
  readonly comparisons: ComparisonThread;
  readonly forwarders: readonly Forwarder[];
  readonly statsSources: StatsSources;
}

/**
 * One collector: config → store → receivers → query → forwarders. `start` may be called once; `stop` any number of
 * times, also without or during a start, whose opening of the store it breaks off, and then nothing is left running.
 */
export class Collector {
  private readonly config: CollectorConfig;
  private readonly log: Log;
  private readonly collectorId = newCollectorId();
  private readonly deletions = new RecentDeletions(DELETIONS_REMEMBERED_MAX);
  private readonly parts: OpenParts;
  private readonly stopped = new AbortController();
  /** Breaks off the opening of the store. */
  private readonly signal: AbortSignal;
  private readonly pageDirectory: string | undefined;
  private starting: Promise<RunningCollector> | undefined;
  private stopping: Promise<void> | undefined;

  /** Throws ReenactError `bad-config`; opens nothing yet. */
  constructor(config: CollectorConfigInput, { log, signal, pageDirectory }: CollectorOptions = {}) {
    this.config = parseCollectorConfig(config);
    this.pageDirectory = this.config.page.isOn ? pageDirectory : undefined;
    this.log = createLog(log === undefined ? 'silent' : this.config.logLevel, log ?? (() => undefined));
    this.parts = new OpenParts(this.log);
    this.signal = AbortSignal.any([this.stopped.signal, ...(signal === undefined ? [] : [signal])]);
  }

  /** Opens the store and listens. Throws ReenactError `store-failed`, also where it is stopped meanwhile, `unsupported` or `port-taken` with nothing left open. */
  start(): Promise<RunningCollector> {
    if (this.stopping !== undefined) {
      const next = 'Make another collector instead of starting this one again.';
      return Promise.reject(new ReenactError('bad-argument', 'The collector was stopped.', { next }));
    }
    this.starting ??= this.open().catch(async (thrown: unknown) => {
      await this.parts.close().catch(() => undefined);
      throw thrown;
    });
    return this.starting;
  }

  stop(): Promise<void> {
    this.stopped.abort();
    this.stopping ??= (async () => {
      const isStarted = await this.starting?.then(
        () => true,
        () => false,
      );
      // Whoever is started in its place waits for its end.
      if (isStarted === true) noteHolder(resolve(this.config.dataDirectory), 'reenact collect, which stops');
      await this.parts.close();
    })();
    return this.stopping;
  }

  private async open(): Promise<RunningCollector> {
    const { config } = this;
    const dataDirectory = resolve(config.dataDirectory);
    const counters = createCounters();
    const watch = new FileWatch(config.limits.accessCheckMs);
    this.parts.add({ waitsFor: 'files of access', close: async () => watch.stop() });
    const { authorizer, tls } = new LiveAccess(config, this.log, watch);
    const room = new WaitingRoom({ log: this.log });
    const entrance = new Entrance(
      { config, authorizer, tls, log: this.log, counters, page: this.openPage() },
      room.notYet,
    );
    const requestsInWork = {
      waitsFor: 'requests',
      close: () => entrance.stop(),
      tell: () => entrance.openRequests,
    };
    this.parts.add(requestsInWork);
    const store = await this.openStore(dataDirectory, room, entrance);
    const parts = this.startBackground(store, counters, watch);
    const destinations = config.forward.map(({ name }) => name);
    const { summariser } = parts;
    const sources = { store, summariser, destinations, retention: config.retention };
    const requests = new StoreRequests(dataDirectory, sources, this.log);
    this.parts.add({ waitsFor: 'store requests', close: () => requests.stop() });
    const retention = new RetentionSchedule(
      { store, dataDirectory },
      retentionPolicyOf(config.retention),
      config.limits.retentionIntervalMs,
      this.log,
    );
    this.parts.add({ waitsFor: 'retention', close: () => retention.stop() });
    // Stopped before what stands behind it.
    this.parts.add(requestsInWork);
    // Ended first: readers that go on would hold the server up.
    this.parts.add({ waitsFor: 'readers', close: async () => parts.tail.stop() });
    const { gather, ...served } = this.createServed(parts, entrance, authorizer);
    entrance.serve(served);
    const httpPort = await entrance.openHttp();
    const grpcPort = await entrance.openGrpc();
    await this.exportMetrics(gather, httpPort);
    await this.tellOrphans(store, destinations);
    this.tellMemory();
    this.tellStart({ httpPort, grpcPort, dataDirectory }, tls !== undefined);
    const scheme = tls === undefined ? 'http' : 'https';
    const httpUrl = urlOf(scheme, config.host, httpPort);
    return {
      httpUrl,
      // All addresses are none that every browser opens.
      pageUrl: entrance.hasPage
        ? `${isEverywhere(config.host) ? urlOf(scheme, 'localhost', httpPort) : httpUrl}/`
        : undefined,
      grpcUrl: urlOf(scheme, config.host, grpcPort),
      dataDirectory,
      stats: () => gatherStats(parts.statsSources),
      reload: () => watch.reload(),
      stop: () => this.stop(),
    };
  }

  /** Recordings are taken and served without it, too. */
  private openPage(): PageFiles | undefined {
    if (this.pageDirectory === undefined) return undefined;
    try {
      return new PageFiles(this.pageDirectory);
    } catch (thrown) {
      const { message } = toReenactError(thrown);
      this.log.warn('page not served', { message, next: 'Install Reenact again: its files cannot be read.' });
      return undefined;
    }
  }

  private openStore(dataDirectory: string, room: WaitingRoom, entrance: Entrance): Promise<Store> {
    const { config } = this;
    let waitsFor = 'store';
    const open = () =>
      openStore(dataDirectory, {
        keepsText: config.search.isOn,
        onBackground: (error) => this.noteBackground(error),
        onLeftovers: (error) => this.noteLeftovers(error),
        onRebuilt: (rebuilt) => this.tellRebuilt(rebuilt),
        onErased: (traces) => this.deletions.add(traces),
        onOpening: (step) => room.tell(step),
        onClosing: (step) => {
          waitsFor = step;
        },
        signal: this.signal,
        memoryShare: memoryShareOf(config.memoryBytesMax),
        ...config.limits,
      });
    const opening = openWhenFree(dataDirectory, open, { tell: (step) => room.tell(step), signal: this.signal });
    // Also where something beside it fails while it opens.
    const close = async () => (await opening.catch(() => undefined))?.close();
    this.parts.add({ waitsFor, close, tell: () => ({ waitsFor }) });
    return room.during(opening, entrance);
  }

  private createServed(parts: Parts, { admission, refusals }: Entrance, authorizer: Authorizer) {
    const { store, statsSources } = parts;
    const { counters } = statsSources;
    const acknowledged = new Latency();
    const ingest = createIngest({
      store,
      counters,
      refusals,
      acknowledged,
      destinations: this.config.forward.map(({ name }) => name),
      collectorId: this.collectorId,
      onStored: () => wakeAll(parts),
    });
    const gather = async () => {
      const stats = await gatherStats(statsSources);
      return { stats, bytesInFlight: admission.bytesHeld, acknowledged };
    };
    const metrics: RequestListener = (request, response) => void answerMetrics(authorizer, gather, request, response);
    const questions = createQuestions({ ...parts, stats: statsSources });
    return { ingest, checks: store, questions, metrics, gather };
  }

  /** Queues of destinations that are configured no more stay: it may be a mistake. Never throws, as what can be received does not depend on it. */
  private async tellOrphans(store: Store, destinations: readonly string[]): Promise<void> {
    const depths = await store.queueDepths().catch(() => new Map<string, number>());
    const next =
      'Configure a destination of this name to have it sent, or delete it: `reenact store drop-queue <name> --data <directory>`.';
    for (const [destination, queued] of depths)
      if (!destinations.includes(destination))
        this.log.warn('queue without a destination', { destination, queued, next });
  }

  private tellStart(facts: Readonly<Record<string, string | number>>, isEncrypted: boolean): void {
    const { host } = this.config;
    this.log.info('started', { host, ...facts });
    if (isEncrypted || isLoopback(host)) return;
    this.log.warn('tokens travel in the clear', { host, next: 'Set tls, or let a proxy encrypt.' });
  }

  private tellMemory(): void {
    const memory = collectorMemoryOf(this.config);
    this.log.info('memory shared out', { ...memory });
    if (memory.memoryBytesMax >= MEMORY_BESIDE_REQUESTS_BYTES) return;
    const next = 'Give it 512 MiB; below that the system may end it under load.';
    this.log.warn('memory is scarce', { memoryBytesMax: memory.memoryBytesMax, next });
  }

  private tellRebuilt({ queuedAgain, areQueuesLost, areFramesMissing }: RebuiltIndex): void {
    const next = areQueuesLost
      ? 'What has left the log is not sent on any more: nothing says what had been. It is stored all the same.'
      : 'What had been delivered of queuedItems is sent twice; metrics that waited are gone.';
    const queuedItems = Object.values(queuedAgain).reduce((sum, items) => sum + items, 0);
    this.log.warn('index made again', { queuedItems, next });
    if (!areFramesMissing) return;
    const keepAgain =
      'Of chain or log frames are missing: what had not left the log, and marks of kept runs. Keep again what has to stay; what is in packs counts as received now.';
    this.log.error('frames missing', { where: this.config.dataDirectory, next: keepAgain });
  }

  private noteBackground(error: string | undefined): void {
    if (error === undefined) this.log.info('settling goes on');
    else
      this.log.error('settling failed', {
        message: error,
        next: 'It is tried again; what was acknowledged stays in the log.',
      });
  }

  private noteLeftovers(error: string | undefined): void {
    if (error === undefined) this.log.info('deletion finished');
    else
      this.log.error('deletion not finished', {
        message: error,
        next: 'Nobody finds what was deleted, and the disk still has some of it. It is tried again until it is gone.',
      });
  }

  private noteSummaries(error: ReenactError | undefined): void {
    const next = 'Lists lack what is new until it goes on, and say so; what was acknowledged is not concerned.';
    if (error === undefined) this.log.info('summaries go on');
    else this.log.error('summaries failed', { message: error.message, where: error.where ?? '', next });
  }

  private noteUnfetched(): OnUnfetched {
    const unfetched = new RepeatedLog();
    this.parts.add({ waitsFor: 'readers', close: async () => unfetched.stop() });
    const next =
      'Runs stay cold where it was to be had from there: set right what the reason says, add the place to references.allow, or take it out.';
    return (place, reason) => {
      const kind = `${place} ${reason}`;
      // Senders make up as many places as they like.
      const told = unfetched.hasRoomFor(kind) ? { kind } : { kind: 'others', isOneOfMore: true };
      const { kind: of, ...more } = told;
      unfetched.tell(of, 1, (count) => this.log.warn('content not fetched', { place, reason, count, next, ...more }));
    };
  }

  private startBackground(store: Store, counters: ReturnType<typeof createCounters>, watch: FileWatch): Parts {
    const { collectorId } = this;
    const { limits } = this.config;
    const prices = new PriceTable(this.config.prices);
    const tail = new Tail({
      store,
      prices,
      deletions: this.deletions,
      times: { heartbeatMs: limits.tailHeartbeatMs, slowReaderMs: limits.tailSlowReaderMs },
      readersMax: limits.tailReadersMax,
      onReader: () => summariser.wake(),
    });
    const { references } = this.config;
    const traces = new StoredTraces(store, new ContentReferences(references, { onUnfetched: this.noteUnfetched() }));
    const summariser = new Summariser(store, {
      references,
      waitMs: limits.summaryWaitMs,
      isFollowed: (tenant) => tail.isFollowed(tenant),
      onSummarised: () => tail.wake(),
      onFailing: (error) => this.noteSummaries(error),
    });
    this.parts.add({ waitsFor: 'summaries', close: () => summariser.stop() });
    const comparisons = new ComparisonThread(store.threadAccess, references);
    this.parts.add({ waitsFor: 'comparisons', close: () => comparisons.stop() });
    const forwarders = this.config.forward.map((destination) => {
      const access = watch.watch(liveSenderAccess(destination, this.log));
      return new Forwarder(destination, { store, access, limits: this.config.limits, log: this.log, collectorId });
    });
    for (const forwarder of forwarders) {
      const { name: destination } = forwarder.health();
      this.parts.add({ waitsFor: 'deliveries', close: () => forwarder.stop(), tell: () => ({ destination }) });
      forwarder.start();
    }
    summariser.wake();
    const destinations = () => forwarders.map((forwarder) => forwarder.health());
    const statsSources = { store, counters, destinations };
    const places = new FollowPlaces(store, this.deletions);
    return { store, traces, summariser, places, prices, tail, comparisons, forwarders, statsSources };
  }

  private async exportMetrics(gather: () => Promise<MetricsSources>, ownPort: number): Promise<void> {
    const { metricsExport: target, host } = this.config;
    if (target === undefined) return;
    refuseOwnAddress(target, host, ownPort);
    // Loaded only here: most collectors send no metrics, and every command loads this file.
    const { MetricsExport } = await import('./telemetry/metrics-export.ts');
    const sending = new MetricsExport({ target, limits: this.config.limits, gather, log: this.log });
    this.parts.add({ waitsFor: 'metrics export', close: () => sending.stop() });
  }
}

function wakeAll({ summariser, forwarders }: Parts): void {
  summariser.wake();
  for (const forwarder of forwarders) forwarder.wake();
}

function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Starts a collector. Throws ReenactError `bad-config`, `store-failed`, `unsupported` or `port-taken`. */
export function startCollector(
  config: CollectorConfigInput = {},
  options?: CollectorOptions,
): Promise<RunningCollector> {
  return new Collector(config, options).start();
}
