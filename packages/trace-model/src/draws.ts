import { z } from 'zod';

/** Clock reads that are recorded: `new Date()` and `Date()` count as `Date`. */
export const CLOCK_FUNCTIONS = ['Date', 'Date.now'] as const;

/** One of them. */
export type ClockFunction = (typeof CLOCK_FUNCTIONS)[number];

/** Random sources that are recorded; `crypto.randomBytes` stands for every function that gives bytes. */
export const RANDOM_FUNCTIONS = ['Math.random', 'crypto.randomInt', 'crypto.randomUUID', 'crypto.randomBytes'] as const;

/** One of them. */
export type RandomFunction = (typeof RANDOM_FUNCTIONS)[number];

/** A clock read or a random source. */
export type DrawFunction = ClockFunction | RandomFunction;

const timesSchema = z
  .array(z.number().int())
  .refine((numbers) => numbers.length % 2 === 0, 'times come in pairs')
  .refine((numbers) => numbers.every((count, index) => index % 2 === 0 || count > 0), 'counts are positive')
  .optional();

/**
 * What code directly inside one crossing drew from the clock and from random sources, per function and in order; the JSON of
 * `reenact.draws`. Times are pairs of milliseconds, the first since 1970 and each later one since the one before, and how
 * often that time was read in a row. Bytes are base64.
 */
export const recordedDrawsSchema = z.object({
  Date: timesSchema,
  'Date.now': timesSchema,
  'Math.random': z.array(z.number()).optional(),
  'crypto.randomInt': z.array(z.number().int()).optional(),
  'crypto.randomUUID': z.array(z.string()).optional(),
  'crypto.randomBytes': z.array(z.string()).optional(),
  /** Milliseconds by which the clock read was ahead of the one that the times of the spans come from. */
  skewMs: z.number().optional(),
});

/** What code directly inside one crossing drew. */
export type RecordedDraws = z.infer<typeof recordedDrawsSchema>;

/** Start of the lossy marks that tell of draws: they matter where the crossing's own code runs again, and only there. */
export const DRAWS_MARK = '/draws/';
