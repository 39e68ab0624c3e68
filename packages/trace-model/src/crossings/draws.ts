import type { z } from 'zod';
import type { lateDrawsSchema, recordedDrawsSchema, recordedTickOriginSchema } from './draws-schema.ts';
import type { ReadingFunction } from './reading-functions.ts';

/** Clock reads that are recorded: `new Date()` and `Date()` count as `Date`. */
export const CLOCK_FUNCTIONS = ['Date', 'Date.now'] as const;

/** One of them. */
export type ClockFunction = (typeof CLOCK_FUNCTIONS)[number];

/**
 * Random sources that are recorded; `crypto.randomBytes` stands for every function that gives bytes, `ObjectId` for what an id of MongoDB
 * has beside its time, `driver.id` for the bytes that a driver makes the id of a session or client of.
 */
export const RANDOM_FUNCTIONS = [
  'Math.random',
  'crypto.randomInt',
  'crypto.randomUUID',
  'crypto.randomBytes',
  'ObjectId',
  'driver.id',
] as const;

/** One of them. */
export type RandomFunction = (typeof RANDOM_FUNCTIONS)[number];

/**
 * Reads of clocks that only run forward, whose zero means nothing outside of the process: `process.hrtime` stands for
 * `process.hrtime.bigint` as well.
 */
export type TickFunction = 'performance.now' | 'process.hrtime' | 'process.uptime';

/** A clock read, a random source, or what says how a machine and a process are. */
export type DrawFunction = ClockFunction | TickFunction | RandomFunction | ReadingFunction;

/** What code directly inside one crossing drew. */
export type RecordedDraws = z.infer<typeof recordedDrawsSchema>;

/** What code of a crossing drew once that had ended. */
export type LateDraws = z.infer<typeof lateDrawsSchema>;

/** Where the clocks of the process that was recorded had their zero. */
export type RecordedTickOrigin = z.infer<typeof recordedTickOriginSchema>;

/** Stands among late draws for the id of a crossing where code drew that stood in none: what a process did between its runs (docs/adr/0049). */
export const BETWEEN_RUNS = '0000000000000000';

/** Start of the lossy marks that tell of draws: they matter where the crossing's own code runs again, and only there. */
export const DRAWS_MARK = '/draws/';

/** Start of the lossy marks that tell of draws of code whose crossing had ended: they matter where anything of it is called. */
export const LATE_DRAWS_MARK = '/late-draws/';
