import { z } from 'zod';
import { followPlaceShape } from './follow-place.ts';
import { toldRunFailureSchema } from './run-failure.ts';
import { runSummarySchema } from './run-summary.ts';
import { costSchema } from './token-usage.ts';
import { unsummarisedShape } from './unsummarised-runs.ts';

/** One crossing of a run's tree. */
const crossingNodeSchema = z.object({
  spanId: z.string(),
  parentSpanId: z.string().optional().describe('The crossing around it; absent on a root.'),
  path: z.string(),
  kind: z.string(),
  name: z.string(),
  effect: z.string(),
  outcome: z.string().describe('returned, threw, ended, failed, aborted or pending.'),
  errorType: z.string().optional(),
  startedAt: z.string().describe('ISO 8601.'),
  durationMs: z.number().optional().describe('Absent while pending.'),
  service: z
    .string()
    .optional()
    .describe("The service that it was called in; absent where that is the run's own, and in a run that is too large."),
  operation: z.string().optional().describe('The GenAI operation, such as chat.'),
  model: z.string().optional(),
  toolCallId: z.string().optional(),
  inputTokens: z.number().int().optional(),
  outputTokens: z.number().int().optional(),
  cost: costSchema.optional(),
  input: z.string().describe('The beginning of what went in, on one line.'),
  output: z.string().describe('The beginning of what came out, on one line.'),
  flags: z.array(z.string()).optional().describe('What its boundary requires and it lacks; absent when nothing.'),
  leftOutBytes: z
    .number()
    .int()
    .optional()
    .describe(
      'Size of its span, where what was said in it was not looked at because the run is too large: input and output say so, and GET /api/v1/spans/{id} gives it.',
    ),
});

/** One crossing of a run's tree. */
export type CrossingNode = z.infer<typeof crossingNodeSchema>;

/** A span that is no crossing. */
const otherSpanSchema = z.object({
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startedAt: z.string().describe('ISO 8601.'),
  durationMs: z.number().optional().describe('Absent while pending.'),
  status: z.enum(['ok', 'error']),
});

/** A span that is no crossing. */
export type OtherSpan = z.infer<typeof otherSpanSchema>;

/** Answer of `GET /api/v1/runs/{id}`. */
export const runTreeSchema = z.object({
  run: runSummarySchema,
  crossings: z.array(crossingNodeSchema).describe('Parents before children, siblings in start order.'),
  otherSpans: z.array(otherSpanSchema).describe('Spans that are no crossings, by their start.'),
  failure: toldRunFailureSchema
    .optional()
    .describe(
      'Which span made the run fail and why: the innermost crossing whose error ended it, else its root; absent where it did not fail.',
    ),
  command: z
    .string()
    .optional()
    .describe(
      'How the process of the run was started, for a shell in the folder it was started in, without the hook; absent where nothing says it.',
    ),
  replay: z
    .string()
    .optional()
    .describe(
      'What to type behind `reenact` to replay the run; absent where it cannot be replayed, is one of several of its trace, or nothing says how.',
    ),
  isOutline: z
    .boolean()
    .optional()
    .describe('The run is too large for what was said to be looked at: each crossing says what it is without.'),
  leftOutSpans: z
    .number()
    .int()
    .optional()
    .describe('How many of the last spans of such a run the tree is without; absent when none.'),
  ...unsummarisedShape,
  ...followPlaceShape,
});

/** Answer of `GET /api/v1/runs/{id}`. */
export type RunTree = z.infer<typeof runTreeSchema>;
