import { z } from 'zod';
import { runFilterSchema } from './run-filters.ts';
import { runSummarySchema } from './run-summary.ts';

/** Parameters of `GET /api/v1/tail`: filters without a time range, and where to begin. */
export const tailQuerySchema = runFilterSchema.omit({ since: true, until: true });

/** Parameters of `GET /api/v1/tail`. */
export type TailQuery = z.infer<typeof tailQuerySchema>;

/** Parameters of `GET /api/v1/tail` with what only its reader's own list needs. */
export const tailParametersSchema = tailQuerySchema.extend({
  leaving: z
    .boolean()
    .optional()
    .describe(
      'also tell which changed runs do not pass the filters, and which runs were deleted, so that a list can leave them out',
    ),
});

/** Why a tail ends although its reader did not leave. */
const droppedEventSchema = z.object({
  reason: z.enum(['reader-too-slow', 'collector-stops']),
  lastEventId: z.string().describe('Send it as Last-Event-ID to go on where this ended.'),
});

const namedRunSchema = z.object({ traceId: z.string() });

/**
 * One event of a tail.
 *
 * - `run`: a run was summarised, for the first time or again.
 * - `left`: one was summarised that does not pass the filters any more; told where that is asked for.
 * - `deleted`: runs are gone, whether they passed or not; likewise.
 * - `forgotten`: it is not known what was deleted since the reader was there, as after a restart, so what it shows is to be read again; likewise.
 * - `dropped`: the collector is about to end the stream.
 */
export const tailEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('run'), id: z.string(), data: runSummarySchema }),
  z.object({ event: z.literal('left'), id: z.string(), data: namedRunSchema }),
  z.object({
    event: z.literal('deleted'),
    id: z.string().optional(),
    data: z.object({ traceIds: z.array(z.string()) }),
  }),
  z.object({ event: z.literal('forgotten'), id: z.string().optional(), data: z.object({}) }),
  z.object({ event: z.literal('dropped'), id: z.string().optional(), data: droppedEventSchema }),
]);

/** One event of a tail. */
export type TailEvent = z.infer<typeof tailEventSchema>;
