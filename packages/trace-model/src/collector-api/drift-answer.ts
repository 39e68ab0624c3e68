import { z } from 'zod';
import { pageShape, runFilterSchema } from './run-filters.ts';
import { unsummarisedShape } from './unsummarised-runs.ts';

/** What a crossing's outcome can be split by. */
export const CIRCUMSTANCES = ['commit', 'model', 'fingerprint', 'region'] as const;

/** What a crossing's outcome can be split by. */
export type Circumstance = (typeof CIRCUMSTANCES)[number];

const { since, until, service, kind, name } = runFilterSchema.shape;

/** Parameters of `GET /api/v1/drift`. */
export const driftQuerySchema = z.strictObject({
  since: since.describe('only crossings that started at this time or later (ISO 8601)'),
  until: until.describe('only crossings that started before this time (ISO 8601)'),
  service: service.describe('only crossings of this service'),
  kind: kind.describe('only crossings of this kind'),
  name: name.describe('only crossings of this name'),
  ...pageShape,
});

/** Parameters of `GET /api/v1/drift`. */
export type DriftQuery = z.infer<typeof driftQuerySchema>;

const count = z.number().int().positive();
const seen = {
  crossings: count,
  firstAt: z.string().describe('ISO 8601.'),
  lastAt: z.string().describe('ISO 8601.'),
};

/** One of the outcomes that an equal input had. */
const driftOutcomeSchema = z.object({
  outcome: z.string().describe('Digest of the outcome, ids left out.'),
  ...seen,
  traceId: z.string().describe('The newest crossing with it.'),
  spanId: z.string(),
  by: z
    .record(z.enum(CIRCUMSTANCES), z.array(z.object({ value: z.string(), crossings: count })))
    .describe('Under what it occurred, how often; an empty value where that is not known.'),
});

/** Crossings with equal input whose outcomes differ. */
const driftSchema = z.object({
  kind: z.string(),
  name: z.string(),
  input: z.string().describe('Digest of the kind, the name and the canonical input.'),
  ...seen,
  outcomes: z.array(driftOutcomeSchema).describe('Most frequent first.'),
  explainedBy: z
    .array(z.enum(CIRCUMSTANCES))
    .describe('What differs with every difference of the outcome: under one value of it there is one outcome.'),
});

/** Crossings with equal input whose outcomes differ. */
export type Drift = z.infer<typeof driftSchema>;

/** Answer of `GET /api/v1/drift`, what was seen last first. */
export const driftAnswerSchema = z.object({
  drifts: z.array(driftSchema),
  nextCursor: z.string().optional(),
  ...unsummarisedShape,
});

/** Answer of `GET /api/v1/drift`. */
export type DriftAnswer = z.infer<typeof driftAnswerSchema>;
