import { z } from 'zod';

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
