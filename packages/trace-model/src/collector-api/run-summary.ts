import { z } from 'zod';
import { MISSING_CAUSES, type MissingCause } from '../recordings/missing-causes.ts';
import { followPlaceShape } from './follow-place.ts';
import { costSchema, modelUsageSchema } from './token-usage.ts';
import { unsummarisedShape } from './unsummarised-runs.ts';

/** The causes a recording can be lacking for, as a closed list. */
export const MISSING_CAUSE_NAMES = Object.keys(MISSING_CAUSES) as [MissingCause, ...MissingCause[]];

/** What a run is: recorded from an agent, the spans of a replay, or a fork that went its own way. */
const RUN_ORIGINS = ['recorded', 'replay', 'fork'] as const;

/** What a run is. */
export type RunOrigin = (typeof RUN_ORIGINS)[number];

const count = z.number().int().nonnegative();

/** What a recording lacks, as answers say it: each cause at least once, of many things alike only the first. */
export const replayabilitySchema = z.object({
  verdict: z.enum(['full', 'partial', 'cold']),
  missing: z.array(
    z.object({
      cause: z.enum(MISSING_CAUSE_NAMES),
      where: z.string().optional().describe('Path of a crossing; absent for the whole trace.'),
      spanId: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
  moreMissing: count.optional().describe('How many more things are missing than the list names; absent when none.'),
});
const names = z.array(z.string()).optional();

/** One run as a list shows it. Lists of names are absent when empty. */
export const runSummarySchema = z.object({
  traceId: z.string(),
  rootSpanId: z.string(),
  name: z.string().describe('`kind:name` of the root crossing, or the name of the root span where it is no crossing.'),
  asked: z
    .string()
    .optional()
    .describe(
      'The beginning of what the agent was asked: its own input, else the last message of the first model call; absent where that is not known.',
    ),
  answered: z
    .string()
    .optional()
    .describe(
      'The beginning of what came of it: what the agent returned or failed with, else what the last model call said; absent where that is not known.',
    ),
  origin: z.enum(RUN_ORIGINS).describe('replay: the spans of a replay; fork: a replay that went its own way.'),
  replayId: z.string().optional().describe('Of a replay or fork: the replay that made it.'),
  replayOf: z.string().optional().describe('Of a replay: the trace id of the recording it re-ran.'),
  forkOf: z
    .object({ traceId: z.string(), spanId: z.string() })
    .optional()
    .describe('Of a fork: the recording, and the crossing from which on it went its own way.'),
  replays: count.optional().describe('How many replays of this run are stored; absent when none.'),
  forks: count.optional().describe('How many forks of this run are stored; absent when none.'),
  service: z.string().describe('Service of the root span.'),
  startedAt: z.string().describe('ISO 8601.'),
  durationMs: z.number(),
  status: z.enum(['ok', 'error']),
  isPending: z.literal(true).optional().describe('The root has not ended, as far as is known.'),
  kept: z.string().optional().describe('Why the run is kept when others are thinned out.'),
  spanCount: count,
  runsBefore: count
    .optional()
    .describe(
      'Of the run of a process (agent:process): how many other runs of it had begun before, so that it holds what was called after or beside those; absent when none.',
    ),
  crossingCount: count,
  errorCount: count,
  flaggedCount: count.optional().describe('Crossings that lack what their boundary requires; absent when none.'),
  conflictingSpans: count
    .optional()
    .describe(
      'Spans that arrived more than once, ended and full or of another SDK, with different content; absent when none.',
    ),
  agents: names,
  sessions: names.describe('Session and conversation ids.'),
  users: names,
  tenants: names.describe('On whose behalf it ran (reenact.tenant).'),
  errorTypes: names,
  models: z.array(z.string()),
  inputTokens: count,
  outputTokens: count,
  usage: z.array(modelUsageSchema).describe('Tokens by model, innermost calls only.'),
  cost: costSchema.optional(),
  replayability: replayabilitySchema,
});

/** One run as a list shows it. */
export type RunSummary = z.infer<typeof runSummarySchema>;

/** Answer of `GET /api/v1/runs`, newest first. `nextCursor` is absent on the last page. */
export const runListSchema = z.object({
  runs: z.array(runSummarySchema),
  nextCursor: z.string().optional(),
  ...unsummarisedShape,
  unsummarisedTraceIds: z
    .array(z.string())
    .optional()
    .describe('Trace ids of the runs that wait for their summary, those that changed last first, 64 at most.'),
  ...followPlaceShape,
});

/** Answer of `GET /api/v1/runs`. */
export type RunList = z.infer<typeof runListSchema>;
