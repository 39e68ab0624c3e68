import { z } from 'zod';
import { BOUNDARY_KINDS } from '../crossings/boundary.ts';
import { MISSING_CAUSE_NAMES } from './run-summary.ts';

/** How many runs one answer holds at most. */
export const RUNS_PER_PAGE_MAX = 500;

/** Longest value of a filter, in characters. */
const FILTER_CHARACTERS_MAX = 1_000;

/**
 * What runs are found by that can have several values in one run. A filter of the same name asks for one of them; `crossing`
 * (`kind:name`) answers for `kind` and `name` together.
 */
export const RUN_FACETS = [
  'service',
  'agent',
  'model',
  'provider',
  'operation',
  'tool',
  'kind',
  'name',
  'crossing',
  'errorType',
  'session',
  'conversation',
  'user',
  'tenant',
  'missing',
  'replay',
  'replayOf',
  'forkOf',
] as const;

/** One of the things runs are found by. */
export type RunFacet = (typeof RUN_FACETS)[number];

const text = z.string().min(1).max(FILTER_CHARACTERS_MAX);
const traceId = z.string().regex(/^[0-9a-fA-F]{32}$/, 'a trace id has 32 hex digits');
const spanId = z.string().regex(/^[0-9a-fA-F]{16}$/, 'a span id has 16 hex digits');
const time = z.iso.datetime({ offset: true, error: 'write a time as ISO 8601 has it, such as 2026-11-23T14:05:00Z' });

const filterShape = {
  trace: traceId.optional().describe('only the run with this trace id'),
  span: spanId.optional().describe('only the run that has this span'),
  since: time.optional().describe('only runs that started at this time or later (ISO 8601)'),
  until: time.optional().describe('only runs that started before this time (ISO 8601)'),
  service: text.optional().describe('only runs that passed this service'),
  agent: text.optional().describe('only runs of this agent, or with it inside'),
  model: text.optional().describe('only runs in which this model answered or was asked for'),
  provider: text.optional().describe('only runs that called this provider'),
  operation: text.optional().describe('only runs with this operation, such as chat or embeddings'),
  tool: text.optional().describe('only runs that called this tool'),
  kind: z.enum(BOUNDARY_KINDS).optional().describe('only runs with a crossing of this kind'),
  name: text.optional().describe('only runs with a crossing of this name; with kind, one that has both'),
  status: z.enum(['ok', 'error']).optional().describe('only runs that ended ok or in error'),
  errorType: text.optional().describe('only runs in which an error of this type occurred, also one that was handled'),
  session: text.optional().describe('only runs of this session or conversation'),
  conversation: text.optional().describe('only runs of this conversation'),
  user: text.optional().describe('only runs for this user'),
  tenant: text.optional().describe('only runs on behalf of this tenant of the application (reenact.tenant)'),
  replayability: z.enum(['full', 'partial', 'cold']).optional().describe('only runs that can be replayed so'),
  missing: z.enum(MISSING_CAUSE_NAMES).optional().describe('only runs that lack something for this cause'),
  text: text
    .optional()
    .describe('only runs whose content has all of these words; "…" for phrases, word* for beginnings'),
  kept: z.boolean().optional().describe('only runs that are kept, or only those that are not'),
  hasReplays: z.boolean().optional().describe('only runs that were replayed, or only those that were not'),
  hasForks: z.boolean().optional().describe('only runs that were forked, or only those that were not'),
  replay: text.optional().describe('only what the replay with this id made'),
  replayOf: traceId.optional().describe('only replays of the recording with this trace id'),
  forkOf: traceId.optional().describe('only forks of the recording with this trace id'),
  replays: z
    .enum(['exclude', 'include', 'only'])
    .optional()
    .describe('whether replays are listed; left out, only where trace, span, replay or replayOf names one'),
};

/** The filters that every question about several runs takes. */
export const runFilterSchema = z.strictObject(filterShape);

/** The filters that every question about several runs takes. */
export type RunFilters = z.infer<typeof runFilterSchema>;

/** Where a page begins and how long it is. */
export const pageShape = {
  limit: z.int().min(1).max(RUNS_PER_PAGE_MAX).optional().describe('how many at most'),
  cursor: text.optional().describe('nextCursor of the page before, with the same filters; with others it is refused'),
};

/** Where a page of runs begins, and where it has to end. */
const runPageShape = {
  ...pageShape,
  complete: z
    .boolean()
    .optional()
    .describe(
      'whether a page ends before the first run that still waits for its summary: all pages together then lack none, and one may be empty though nextCursor leads on',
    ),
};

/** Parameters of `GET /api/v1/runs`; unknown ones are refused. */
export const runQuerySchema = z.strictObject({ ...filterShape, ...runPageShape });

/** Parameters of `GET /api/v1/runs`. */
export type RunQuery = z.infer<typeof runQuerySchema>;

/** Parameters of `GET /api/v1/search`: filters of which `text` is needed. */
export const searchQuerySchema = z.strictObject({
  ...filterShape,
  ...runPageShape,
  text: text.describe('words to look for; "…" for phrases, word* for beginnings'),
});

/** Parameters of `GET /api/v1/search`. */
export type SearchQuery = z.infer<typeof searchQuerySchema>;

/** What one span is asked for with. */
export const spanQuerySchema = z.strictObject({
  trace: traceId.optional().describe('only in the trace with this id; left out, of several the one received last'),
  conventions: z
    .boolean()
    .optional()
    .describe(
      'whether what was said is given in the attributes that the GenAI conventions have for it, wherever it stood: in another vocabulary, in events, in log records',
    ),
});

/** What one span is asked for with. */
export type SpanQuery = z.output<typeof spanQuerySchema>;
