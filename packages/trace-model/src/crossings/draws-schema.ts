import { z } from 'zod';
import { READING_FUNCTIONS, type ReadingFunction } from './reading-functions.ts';

const timesSchema = z
  .array(z.number().int())
  .refine((numbers) => numbers.length % 2 === 0, 'times come in pairs')
  .refine((numbers) => numbers.every((count, index) => index % 2 === 0 || count > 0), 'counts are positive')
  .optional();

const ticksSchema = z.array(z.number().int()).optional();

const timersSchema = z
  .record(z.string().regex(/^(\d+|immediate)$/), z.array(z.number().int()))
  .refine((timers) => Object.values(timers).every(({ length }) => length % 3 === 0), 'timers come in threes')
  .optional();

const workSchema = z
  .record(z.string(), z.array(z.number().int()))
  .refine((work) => Object.values(work).every(({ length }) => length % 3 === 0), 'work comes in threes')
  .optional();

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What each gave, in JSON. */
const readings = Object.fromEntries(
  READING_FUNCTIONS.map((name) => [name, z.array(z.string().refine(isJson, 'no JSON')).optional()]),
) as Record<ReadingFunction, z.ZodOptional<z.ZodArray<z.ZodString>>>;

/** Where the clocks of a process that only run forward had their zero. */
export const recordedTickOriginSchema = z.object({
  /** `performance.timeOrigin` there: milliseconds since 1970, with their fraction. */
  timeOriginMs: z.number(),
  /** What `process.hrtime.bigint()` was at that moment, nanoseconds in decimal. */
  hrtimeNano: z.string().regex(/^-?\d{1,19}$/),
  /** Milliseconds by which that origin and what has passed since are ahead of the clock that the times of the spans come from. */
  skewMs: z.number().optional(),
});

const drawnSchema = z.object({
  Date: timesSchema,
  'Date.now': timesSchema,
  'performance.now': ticksSchema,
  /** Of both `process.hrtime()` and `process.hrtime.bigint()`, since `ticks.hrtimeNano`. */
  'process.hrtime': ticksSchema,
  'process.uptime': ticksSchema,
  'Math.random': z.array(z.number()).optional(),
  'crypto.randomInt': z.array(z.number().int()).optional(),
  'crypto.randomUUID': z.array(z.string()).optional(),
  'crypto.randomBytes': z.array(z.string()).optional(),
  /** The last eight bytes of each id of MongoDB that was made, hexadecimal. */
  ObjectId: z.array(z.string()).optional(),
  /** Base64, as bytes are, and no secrets: recorded also where bytes are not. */
  'driver.id': z.array(z.string()).optional(),
  ...readings,
  /** Milliseconds by which the clock read was ahead of the one that the times of the spans come from. */
  skewMs: z.number().optional(),
  /** Where ticks were kept: the zero of their clocks. */
  ticks: recordedTickOriginSchema.optional(),
});

/** What code of a crossing drew once that had ended, between two calls that could carry it (docs/adr/0049). */
export const lateDrawsSchema = drawnSchema.extend({
  /** Its place among those of the crossing, from 0: what comes behind one that is missing is not served. */
  ordinal: z.number().int().nonnegative(),
});

/**
 * What code directly inside one crossing drew from the clock and from random sources, per function and in order; the JSON of
 * `reenact.draws`. Times are pairs of milliseconds, the first since 1970 and each later one since the one before, and how
 * often that time was read in a row. Ticks are nanoseconds, the first since the process's zero and each later one since the one
 * before. Bytes are base64. Timers are by their delay, or `immediate`, in the order in which they were set, three numbers for each: how many events of
 * the run had been numbered when it was set, since the one before; how many more when it fired, or -1 minus how many more by when it was
 * cleared or its crossing ended; and that time in microseconds, the first since 1970 and each later one since the one before
 * (docs/adr/0040). Work outside JavaScript is by the function that began it, with the same numbers of where it began and ended (docs/adr/0047).
 */
export const recordedDrawsSchema = drawnSchema.extend({
  /** By their delay, whole milliseconds, or `immediate`. */
  timers: timersSchema,
  /** By the function of the platform, or the class of the compressor. */
  work: workSchema,
  /** By the span id of a crossing that had ended before this one began: what its code drew since, as far as no other carries it. */
  late: z.record(z.string(), z.array(lateDrawsSchema)).optional(),
  /** On the root of a run, by the span id of a crossing that had ended before it: the whole of its `timers` and `work`, as they stood when the run ended. */
  lateEvents: z.record(z.string(), z.object({ timers: timersSchema, work: workSchema })).optional(),
  /** On the root of a run: whether the spans of the app's own SDK drew beside it. Before, their draws were among these. */
  besideSpans: z.boolean().optional(),
});
