import { ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import { BYTES_IN_FLIGHT_MAX, REQUEST_BYTES_MAX } from './limits.ts';

const destinationSchema = z.strictObject({
  /** Names the destination in statistics and in its persistent queue. */
  name: z.string().regex(/^[A-Za-z][\w-]*$/, 'use letters, digits, - and _, starting with a letter'),
  /** OTLP/HTTP endpoint; `/v1/traces` and so on are appended when it has no path. */
  url: z.url({ protocol: /^https?$/ }),
  /** slim leaves payload attributes out; full sends spans as received. */
  content: z.enum(['slim', 'full']),
});

const port = z.int().min(0).max(65_535);

const configSchema = z.strictObject({
  /** Where recordings are kept; made when it does not exist. */
  dataDirectory: z.string().min(1).default('./reenact-data'),
  host: z.string().min(1).default('127.0.0.1'),
  /** OTLP/HTTP and the query API; 0 picks a free port. */
  httpPort: port.default(4318),
  /** OTLP/gRPC; 0 picks a free port. */
  grpcPort: port.default(4317),
  /** Largest request, on the wire and after decompression, in bytes. */
  requestBytesMax: z.int().min(1024).default(REQUEST_BYTES_MAX),
  /** Most bytes of requests in work at one time. */
  bytesInFlightMax: z.int().min(1024).default(BYTES_IN_FLIGHT_MAX),
  /** How long runs stay, in days since the last span of a run was received. */
  retention: z
    .strictObject({
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
    })
    .prefault({}),
  forward: z
    .array(destinationSchema)
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two destinations have one name')
    .default([]),
});

/** What `startCollector` takes; every key is optional. */
export type CollectorConfigInput = z.input<typeof configSchema>;

/** A complete configuration. */
export type CollectorConfig = Readonly<z.output<typeof configSchema>>;

/** One endpoint that spans are sent on to. */
export type Destination = Readonly<z.output<typeof destinationSchema>>;

/** The configuration where nothing is said. */
export function defaultCollectorConfig(): CollectorConfig {
  return parseCollectorConfig({});
}

/** Completes, checks and freezes a configuration. Throws ReenactError `bad-config` naming the key that is wrong. */
export function parseCollectorConfig(input: unknown): CollectorConfig {
  const parsed = configSchema.safeParse(input);
  if (parsed.success) {
    for (const destination of parsed.data.forward) Object.freeze(destination);
    Object.freeze(parsed.data.forward);
    return Object.freeze(parsed.data);
  }
  const [issue] = parsed.error.issues;
  throw new ReenactError(
    'bad-config',
    `The collector's configuration cannot be used: ${issue?.message ?? 'unknown'}.`,
    {
      where: issue?.path.join('.') ?? '',
      next: `Use only the keys ${Object.keys(configSchema.shape).join(', ')}.`,
      cause: parsed.error,
    },
  );
}
