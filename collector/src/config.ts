import { isLoopback, Mistakes, ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { collectorTokenSchema, tlsSchema } from './access/access-settings.ts';
import { isOwnAddress } from './access/is-own-address.ts';
import {
  ACCESS_CHECK_MS,
  COMMIT_BACKLOG_BYTES_MAX,
  DISK_RESERVE_BYTES,
  FORWARD_BACKOFF_FIRST_MS,
  FORWARD_BACKOFF_MAX_MS,
  FORWARD_ITEMS_MAX,
  FORWARD_REQUEST_BYTES,
  FORWARD_TIMEOUT_MS,
  METRICS_INTERVAL_MS,
  METRICS_QUEUE_BYTES_MAX,
  READ_CACHE_BYTES_MAX,
  REFERENCE_TIMEOUT_MS,
  REFERENCED_BYTES_MAX,
  REPLAY_BYTES_HELD_MAX,
  REPLAY_GATHER_MS_MAX,
  REPLAY_LIFE_MS_MAX,
  REPLAY_MEMBERS_MAX,
  REPLAY_MEMORY_SHARE_MAX,
  REPLAYS_HELD_MAX,
  REQUEST_BYTES_MAX,
  REQUEST_STALL_MS,
  REQUEST_TIME_MS_MAX,
  RETENTION_INTERVAL_MS,
  STOP_GRACE_MS,
  SUMMARY_WAIT_MS,
  TAIL_HEARTBEAT_MS,
  TAIL_READERS_MAX,
  TAIL_SLOW_READER_MS,
} from './limits.ts';
import { LOG_LEVELS } from './logging/log.ts';
import { bytesInFlightFor, memoryShareOf, processMemoryBytes } from './memory/memory-share.ts';
import { PASSED_HEADER } from './passed-collectors.ts';
import { configMistakes } from './settings/config-mistakes.ts';
import { filePathSchema, givenNameSchema, hostSchema, urlSchema } from './settings/setting-texts.ts';

const destinationTlsSchema = z
  .strictObject({
    /** PEM; trusted instead of those that Node.js trusts. */
    caFile: filePathSchema.optional(),
    /** PEM; shown to the destination, together with keyFile. */
    certificateFile: filePathSchema.optional(),
    keyFile: filePathSchema.optional(),
  })
  .refine((tls) => (tls.certificateFile === undefined) === (tls.keyFile === undefined), {
    message: 'give certificateFile and keyFile together',
  });

/** Headers that say how a request is sent: with others than the sender's own, every request would be refused for good. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  PASSED_HEADER,
]);

const headersSchema = z.record(
  z
    .string()
    .regex(/^[a-z0-9-]+$/, 'write header names in lower case, with letters, digits and -')
    .refine((header) => !TRANSPORT_HEADERS.has(header), 'this header is made for each request, and cannot be set'),
  z.string().regex(/^[ -~]*$/, 'write header values in ASCII, on one line'),
);

/** Those that gRPC keeps to itself, and those whose values are bytes. */
const GRPC_HEADER = /^grpc-|-bin$/;

/** What servers of gRPC take unless told otherwise is 4 MiB. The rest is for what frames the items. */
const DESTINATION_REQUEST_BYTES_MAX = 4 * 1024 * 1024 - 64 * 1024;

const destinationSchema = z
  .strictObject({
    /** Names the destination in statistics and in its persistent queue. */
    name: givenNameSchema,
    /** OTLP endpoint; for HTTP `/v1/traces` and so on are appended when it has no path. https: and grpc with https: use TLS. */
    url: urlSchema(
      /^https?$/,
      'write a URL that begins with http:// or https://; what speaks gRPC has "protocol": "grpc" beside it',
    ),
    protocol: z.enum(['http', 'grpc']).default('http'),
    /** slim leaves payload attributes out; full sends spans as received. */
    content: z.enum(['slim', 'full']),
    /** Sent with every request, for example an authorization. */
    headers: headersSchema.default({}),
    /** Holds a token alone, which is sent as `authorization: Bearer …`; read again when it changes. */
    tokenFile: filePathSchema.optional(),
    tls: destinationTlsSchema.optional(),
    /** Bytes of a request that it takes; a single item that is larger is sent by itself. */
    requestBytesMax: z.int().min(1024).default(DESTINATION_REQUEST_BYTES_MAX),
  })
  .refine(({ headers, tokenFile }) => tokenFile === undefined || headers.authorization === undefined, {
    message: 'give either tokenFile or an authorization among the headers',
  })
  .refine(({ url, tls }) => tls === undefined || url.startsWith('https:'), { message: 'tls needs an https: url' })
  .refine(({ url, protocol }) => protocol === 'http' || (URL.parse(url)?.pathname ?? '/') === '/', {
    message: 'a gRPC endpoint has no path',
  })
  .refine(
    ({ headers, protocol }) => protocol === 'http' || !Object.keys(headers).some((key) => GRPC_HEADER.test(key)),
    {
      message: 'over gRPC no header may begin with grpc- or end in -bin',
      path: ['headers'],
    },
  );

/** Timers of Node.js hold no longer time: a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

const limitsSchema = z.strictObject({
  /** How long the sender of a request may send nothing of the rest. */
  requestStallMs: z.int().min(1).max(TIMER_MS_MAX).default(REQUEST_STALL_MS),
  /** How long all of a request may take to come. */
  requestTimeMaxMs: z.int().min(1).max(TIMER_MS_MAX).default(REQUEST_TIME_MS_MAX),
  /** How long a stop waits for requests in flight before it cuts their connections. */
  stopGraceMs: z.int().min(0).max(TIMER_MS_MAX).default(STOP_GRACE_MS),
  /** How often files with tokens and certificates are looked at for changes. */
  accessCheckMs: z.int().min(1).max(TIMER_MS_MAX).default(ACCESS_CHECK_MS),
  /** Most bytes waiting for the next commit; beyond it senders are told to retry. */
  commitBacklogBytesMax: z.int().min(1024).optional(),
  /** Bytes of the disk that requests leave free, so that what is stored can still be settled and deleted. */
  diskReserveBytes: z.int().min(0).default(DISK_RESERVE_BYTES),
  /** Most bytes of metrics that wait for destinations; beyond it the oldest are let go of. */
  metricsQueueBytesMax: z.int().min(0).default(METRICS_QUEUE_BYTES_MAX),
  /** Decoded pieces of the store remembered for readers. */
  readCacheBytesMax: z.int().min(0).optional(),
  /** How often runs whose time is over are looked for. */
  retentionIntervalMs: z.int().min(1).max(TIMER_MS_MAX).default(RETENTION_INTERVAL_MS),
  /** Most items of one forwarded request. */
  forwardItemsMax: z.int().min(1).default(FORWARD_ITEMS_MAX),
  /** About how many bytes a forwarded request has. */
  forwardRequestBytesMax: z.int().min(1024).default(FORWARD_REQUEST_BYTES),
  /** How long one forwarded request may take. */
  forwardTimeoutMs: z.int().min(1).max(TIMER_MS_MAX).default(FORWARD_TIMEOUT_MS),
  /** First wait after a failed delivery. */
  forwardBackoffFirstMs: z.int().min(1).max(TIMER_MS_MAX).default(FORWARD_BACKOFF_FIRST_MS),
  /** Longest wait between two deliveries. */
  forwardBackoffMaxMs: z.int().min(1).max(TIMER_MS_MAX).default(FORWARD_BACKOFF_MAX_MS),
  /** How long a question waits for the summaries of what came before it. */
  summaryWaitMs: z.int().min(0).max(TIMER_MS_MAX).default(SUMMARY_WAIT_MS),
  /** Readers that follow runs at one time. */
  tailReadersMax: z.int().min(0).default(TAIL_READERS_MAX),
  /** How often a tail that has nothing to say shows that it is there. */
  tailHeartbeatMs: z.int().min(1).max(TIMER_MS_MAX).default(TAIL_HEARTBEAT_MS),
  /** How long a tail waits for a reader that does not read. */
  tailSlowReaderMs: z.int().min(1).max(TIMER_MS_MAX).default(TAIL_SLOW_READER_MS),
  /** Replays relayed between drivers and services at one time. */
  replaysMax: z.int().min(0).default(REPLAYS_HELD_MAX),
  /** Bytes held in memory of all replays that are relayed. */
  replayBytesMax: z.int().min(0).optional(),
  /** Processes that take part in one relayed replay. */
  replayMembersMax: z.int().min(1).default(REPLAY_MEMBERS_MAX),
  /** How long a replay is relayed at most. */
  replayLifeMaxMs: z.int().min(1).max(TIMER_MS_MAX).default(REPLAY_LIFE_MS_MAX),
  /** How long a driver that gathers reports lets services finish at most. */
  replayGatherMaxMs: z.int().min(0).max(TIMER_MS_MAX).default(REPLAY_GATHER_MS_MAX),
});

const perMillion = z.number().min(0);

const pricesSchema = z.strictObject({
  /** As it is shown beside amounts. */
  currency: z.string().min(1).default('USD'),
  /** The first that fits counts. */
  models: z.array(
    z.strictObject({
      /** Name of the model; one that ends in `*` fits all that begin so. */
      model: z.string().min(1),
      /** Likewise; any when not given. */
      provider: z.string().min(1).optional(),
      /** Price of a million tokens. Cached ones cost as much as others where nothing is said of them. */
      inputPerMillion: perMillion,
      outputPerMillion: perMillion,
      cacheReadPerMillion: perMillion.optional(),
      cacheWritePerMillion: perMillion.optional(),
    }),
  ),
});

/** The limits that can be set. */
export type CollectorLimits = Readonly<Omit<z.output<typeof limitsSchema>, keyof ScaledLimits>> & ScaledLimits;

/** Those that are smaller where memory is scarce and nothing is said. */
interface ScaledLimits {
  readonly commitBacklogBytesMax: number;
  readonly readCacheBytesMax: number;
  readonly replayBytesMax: number;
}

const port = z.int().min(0).max(65_535);

/** How long runs stay, in days since the last of a run was received. */
export const retentionSchema = z.strictObject({
  /** No run is thinned within this. */
  graceDays: z.number().min(0).default(7),
  /** Ordinary runs go after this. */
  ordinaryDays: z.number().min(0).default(30),
  /** Runs that failed, disagree with themselves, or are kept. */
  specialDays: z.number().min(0).default(365),
  /** Size on disk to stay below, in bytes, as far as the grace window allows; unlimited when not given. */
  bytesMax: z
    .int()
    .min(1024 * 1024)
    .optional(),
});

const configSchema = z.strictObject({
  /** Where recordings are kept; made when it does not exist. */
  dataDirectory: filePathSchema.default('./reenact-data'),
  /** Address to listen on; without tokens only one of this machine. */
  host: hostSchema.default('127.0.0.1'),
  /** OTLP/HTTP and the query API; 0 picks a free port. */
  httpPort: port.default(4318),
  /** OTLP/gRPC; 0 picks a free port. */
  grpcPort: port.default(4317),
  /** What the process may have in memory; where nothing is said, what its container may, else what the machine has. */
  memoryBytesMax: z
    .int()
    .min(64 * 1024 * 1024)
    .optional(),
  /** Largest request, on the wire and after decompression, in bytes. */
  requestBytesMax: z.int().min(1024).default(REQUEST_BYTES_MAX),
  /** Most bytes of requests in work at one time. */
  bytesInFlightMax: z.int().min(1024).optional(),
  /** How long runs stay, in days since the last span of a run was received. */
  retention: retentionSchema.prefault({}),
  /** Encrypts OTLP/HTTP, the API and OTLP/gRPC. */
  tls: tlsSchema.optional(),
  /** Who may do what; with none, everybody on this machine may do everything. */
  tokens: z.array(collectorTokenSchema).default([]),
  /** JSON file with more tokens, in the same form. */
  tokensFile: filePathSchema.optional(),
  /** Whether runs can be found by words of their content; text that is kept for that is removed when it is off. */
  search: z.strictObject({ isOn: z.boolean().default(true) }).prefault({}),
  /** Whether tools may ask the gRPC server what it offers; where nothing is said, whether it listens on this machine only. */
  reflection: z.strictObject({ isOn: z.boolean().optional() }).prefault({}),
  /** Whether people can look at recordings in a browser, at `/` of the HTTP port. */
  page: z.strictObject({ isOn: z.boolean().default(true) }).prefault({}),
  /** Where content may be fetched from that an instrumentation put elsewhere and left a reference to. */
  references: z
    .strictObject({
      /** Places, each with everything below it: `file:///var/genai/`, `https://bucket.example/genai/`. With none, nothing is fetched. */
      allow: z
        .array(urlSchema(/^(file|https?)$/, 'write a URL that begins with file:///, http:// or https://'))
        .default([]),
      /** Largest content that is taken. */
      bytesMax: z.int().min(1).default(REFERENCED_BYTES_MAX),
      /** How long fetching one may take. */
      timeoutMs: z.int().min(1).max(TIMER_MS_MAX).default(REFERENCE_TIMEOUT_MS),
    })
    .prefault({}),
  /** What tokens cost; without it tokens are counted and nothing is priced. */
  prices: pricesSchema.optional(),
  limits: limitsSchema.prefault({}),
  /** Where the collector's own metrics are sent to; without it they are only there for Prometheus. */
  metricsExport: z
    .strictObject({
      /** OTLP/HTTP endpoint, of another process; `/v1/metrics` is appended when it has no path. */
      url: urlSchema(/^https?$/, 'write a URL that begins with http:// or https://'),
      /** Sent with every request, for example an authorization. */
      headers: headersSchema.default({}),
      /** How often they are sent. */
      intervalMs: z.int().min(1).max(TIMER_MS_MAX).default(METRICS_INTERVAL_MS),
    })
    .optional(),
  /** What is written to the log; `silent` writes nothing. */
  logLevel: z.enum(LOG_LEVELS).default('warn'),
  /** Where spans, logs and metrics are sent on to. */
  forward: z
    .array(destinationSchema)
    .superRefine((list, context) => {
      list.forEach(({ name }, index) => {
        if (list.findIndex((other) => other.name === name) === index) return;
        const message = `another destination has the name "${name}", and so the same queue`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      });
    })
    .default([]),
});

/** What `startCollector` takes; every key is optional. */
export type CollectorConfigInput = z.input<typeof configSchema>;

/** A complete configuration. */
export type CollectorConfig = Readonly<Omit<z.output<typeof configSchema>, keyof CompletedConfig>> & CompletedConfig;

/** What depends on other settings, or on the machine, where nothing is said. */
interface CompletedConfig {
  readonly reflection: { readonly isOn: boolean };
  readonly page: { readonly isOn: boolean };
  readonly memoryBytesMax: number;
  readonly bytesInFlightMax: number;
  readonly limits: CollectorLimits;
}

/** Where a collector's own metrics are sent to. */
export type MetricsTarget = NonNullable<CollectorConfig['metricsExport']>;

/** One endpoint that spans are sent on to. */
export type Destination = Readonly<z.output<typeof destinationSchema>>;

/** The keys a configuration can have, in the order of the documentation. */
export const CONFIG_KEYS = Object.keys(configSchema.shape) as readonly (keyof CollectorConfig)[];

function freezeDeep<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freezeDeep(member);
  return Object.freeze(value);
}

/** What of a configuration can be used, and all that is wrong with the rest. */
export interface LookedThroughConfig {
  /** With the defaults for what is wrong. */
  readonly config: CollectorConfig;
  readonly mistakes: Mistakes;
  /** Runs a check of these keys unless one of them is wrong already, and gathers what it throws. */
  readonly check: (keys: readonly (keyof CollectorConfig)[], check: () => void) => void;
}

/** Completes and checks a configuration, as far as can be said without the files that it names. */
export function lookThroughConfig(input: unknown): LookedThroughConfig {
  const parsed = configSchema.safeParse(input);
  const mistakes = new Mistakes();
  const wrong = new Set<string>();
  if (!parsed.success) {
    mistakes.add(...configMistakes(configSchema, parsed.error, input));
    for (const { path } of parsed.error.issues) wrong.add(String(path[0]));
  }
  const isUsable = ([key]: readonly [string, unknown]) => Object.hasOwn(configSchema.shape, key) && !wrong.has(key);
  const rest = () => configSchema.parse(Object.fromEntries(Object.entries(input ?? {}).filter(isUsable)));
  const config = parsed.success ? parsed.data : rest();
  const check: LookedThroughConfig['check'] = (keys, run) => {
    if (!keys.some((key) => wrong.has(key))) mistakes.try(run);
  };
  check(['httpPort', 'grpcPort'], () => refuseOnePort(config));
  for (const [index, destination] of config.forward.entries())
    check(['forward', 'host', 'httpPort', 'grpcPort'], () => refuseLoop(config, destination, index));
  return { config: freezeDeep(complete(config)), mistakes, check };
}

/** Completes, checks and freezes a configuration. Throws ReenactError `bad-config` naming each key that is wrong. */
export function parseCollectorConfig(input: unknown): CollectorConfig {
  const { config, mistakes } = lookThroughConfig(input);
  mistakes.throwAny();
  return config;
}

function refuseOnePort({ httpPort, grpcPort }: z.output<typeof configSchema>): void {
  if (httpPort !== grpcPort || httpPort === 0) return;
  throw new ReenactError('bad-config', `HTTP and gRPC cannot both have the port ${httpPort}.`, {
    where: 'httpPort, grpcPort',
    next: 'Give one of them another; where nothing is said httpPort is 4318 and grpcPort 4317.',
  });
}

/** What a collector sent on to itself would come in again and be sent on again: metrics and log records without end. */
function refuseLoop(
  { host, httpPort, grpcPort }: z.output<typeof configSchema>,
  { name, url, protocol }: Destination,
  index: number,
): void {
  if (!isOwnAddress(url, host, protocol === 'grpc' ? grpcPort : httpPort)) return;
  throw new ReenactError('bad-config', `The collector would forward to itself: ${name}.`, {
    where: `forward.${index}.url`,
    next: 'Name the port of the other program, or give this collector other ports.',
  });
}

function complete(config: z.output<typeof configSchema>): CollectorConfig {
  const { host, reflection, limits, memoryBytesMax = processMemoryBytes(), bytesInFlightMax } = config;
  const scaled = (bytes: number): number => Math.floor(bytes * memoryShareOf(memoryBytesMax));
  const replayBytesMax = Math.min(REPLAY_BYTES_HELD_MAX, Math.floor(memoryBytesMax * REPLAY_MEMORY_SHARE_MAX));
  return {
    ...config,
    reflection: { isOn: reflection.isOn ?? isLoopback(host) },
    memoryBytesMax,
    bytesInFlightMax: bytesInFlightMax ?? bytesInFlightFor(memoryBytesMax),
    limits: {
      ...limits,
      commitBacklogBytesMax: limits.commitBacklogBytesMax ?? scaled(COMMIT_BACKLOG_BYTES_MAX),
      readCacheBytesMax: limits.readCacheBytesMax ?? scaled(READ_CACHE_BYTES_MAX),
      replayBytesMax: limits.replayBytesMax ?? replayBytesMax,
    },
  };
}
