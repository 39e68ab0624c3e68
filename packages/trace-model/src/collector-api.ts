import { z } from 'zod';
import { MISSING_CAUSES, type MissingCause } from './replayability.ts';

/** Path of the collector's query API, version 1. */
export const API_PREFIX = '/api/v1';

/** How many runs one answer holds at most. */
export const RUNS_PER_PAGE_MAX = 500;

const missingCauses = Object.keys(MISSING_CAUSES) as [MissingCause, ...MissingCause[]];

/** One run as a list shows it. */
export const runSummarySchema = z.object({
  traceId: z.string(),
  rootSpanId: z.string(),
  /** `kind:name` of the root crossing, or the name of the root span where it is no crossing. */
  name: z.string(),
  service: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  durationMs: z.number(),
  status: z.enum(['ok', 'error']),
  spanCount: z.number().int(),
  crossingCount: z.number().int(),
  errorCount: z.number().int(),
  /** Crossings that lack what their boundary requires; absent when there are none. */
  flaggedCount: z.number().int().optional(),
  /** Spans that arrived more than once, ended and full, with different content; absent when there are none. */
  conflictingSpans: z.number().int().optional(),
  models: z.array(z.string()),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  replayability: z.object({
    verdict: z.enum(['full', 'partial', 'cold']),
    missing: z.array(
      z.object({
        cause: z.enum(missingCauses),
        where: z.string().optional(),
        spanId: z.string().optional(),
        detail: z.string().optional(),
      }),
    ),
  }),
});

/** One run as a list shows it. */
export type RunSummary = z.infer<typeof runSummarySchema>;

/** Answer of `GET /api/v1/runs`, newest first. `nextCursor` is absent on the last page. */
export const runListSchema = z.object({ runs: z.array(runSummarySchema), nextCursor: z.string().optional() });

/** Answer of `GET /api/v1/runs`. */
export type RunList = z.infer<typeof runListSchema>;

/** Parameters of `GET /api/v1/runs`; unknown ones are refused. */
export const runQuerySchema = z.strictObject({
  service: z.string().optional(),
  status: z.enum(['ok', 'error']).optional(),
  agent: z.string().optional(),
  kind: z.string().optional(),
  name: z.string().optional(),
  /** Session or conversation id that any span of the run carries. */
  session: z.string().optional(),
  /** ISO 8601, inclusive. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** ISO 8601, exclusive. */
  until: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).max(RUNS_PER_PAGE_MAX).optional(),
  cursor: z.string().optional(),
});

/** Parameters of `GET /api/v1/runs`. */
export type RunQuery = z.infer<typeof runQuerySchema>;

/** Body of every answer of the API that is not 2xx. */
export const apiErrorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), next: z.string().optional() }),
});

/** Body of every answer of the API that is not 2xx. */
export type ApiError = z.infer<typeof apiErrorSchema>;
