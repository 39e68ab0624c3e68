import { z } from 'zod';

const id = z.string().regex(/^([0-9a-fA-F]{16}|[0-9a-fA-F]{32})$/, 'a trace id has 32 hex digits, a span id 16');

/** Parameters of `GET /api/v1/comparison`. */
export const comparisonQuerySchema = z.strictObject({
  left: id.describe(
    'the run that is compared with: a trace id, or a span id of it, which compares that part of the run',
  ),
  right: id.describe('the other one, likewise'),
  exact: z
    .boolean()
    .optional()
    .describe('whether also what a provider makes anew for every answer is compared: ids, times, how a stream was cut'),
});

/** Parameters of `GET /api/v1/comparison`. */
export type ComparisonQuery = z.infer<typeof comparisonQuerySchema>;

const count = z.number().int().nonnegative();

const sideSchema = z.object({
  traceId: z.string(),
  rootSpanId: z.string(),
  rootPath: z.string(),
  service: z.string().optional(),
  startedAt: z.string().describe('ISO 8601.'),
  crossings: count.describe('Crossings of the run, its root included.'),
  pendingCrossings: count.optional().describe('How many of them had not ended; absent when none.'),
  replayability: z
    .enum(['full', 'partial', 'cold'])
    .describe('What its recording holds: full lacks nothing that a replay needs.'),
});

const statusSchema = z.enum([
  'equal',
  'input-changed',
  'outcome-changed',
  'input-and-outcome-changed',
  'removed',
  'inserted',
]);

/** What became of one crossing between two runs: `removed` is only in the left one, `inserted` only in the right one. */
export type ComparedStatus = z.infer<typeof statusSchema>;

const comparedStepSchema = z.object({
  status: statusSchema.describe('removed: only in the left run; inserted: only in the right one.'),
  moved: z.boolean().optional().describe('In both, at another place; it stands at its place in the right run.'),
  depth: count.describe('How many crossings of this list are around it.'),
  name: z.string().describe('Kind and name, such as tool:place_order.'),
  left: z.string().optional().describe('Its span id in the left run.'),
  right: z.string().optional().describe('Its span id in the right run.'),
  difference: z.number().int().positive().optional().describe('Its number in differences, from 1.'),
});

/** One crossing of the two runs, in the order of their trees. */
export type ComparedStep = z.infer<typeof comparedStepSchema>;

const placeSchema = z.object({
  path: z.string().describe('JSON path on the left; on the right where only that has the place.'),
  rightPath: z.string().optional().describe('JSON path on the right where it is another one.'),
  left: z.string().optional().describe('JSON of the value, cut around the first difference where it is long.'),
  right: z.string().optional(),
});

/** One place where two inputs or outcomes differ. A side is absent where the value does not exist there. */
export type ComparedPlace = z.infer<typeof placeSchema>;

const placesSchema = z.object({
  places: z.array(placeSchema),
  total: count.describe('Counts also those that are not listed.'),
});

/** Where two inputs or outcomes differ. */
export type ComparedPlaces = z.infer<typeof placesSchema>;

const crossingSchema = z.object({ path: z.string(), spanId: z.string() });

const differenceSchema = z.object({
  status: statusSchema,
  moved: z.boolean().optional(),
  left: crossingSchema.optional(),
  right: crossingSchema.optional(),
  input: placesSchema.optional(),
  outcome: placesSchema.optional(),
  crossings: count
    .optional()
    .describe('Of removed and inserted ones: how many crossings are gone or new, those inside included.'),
});

/** One crossing that differs. */
export type ComparedDifference = z.infer<typeof differenceSchema>;

const environmentSchema = z.object({
  name: z.string(),
  left: z.string().optional(),
  right: z.string().optional(),
  crossings: count.optional().describe('Of facts of single crossings: how many pairs differ in this way.'),
  path: z.string().optional().describe('The first of them.'),
});

/** Answer of `GET /api/v1/comparison`. */
export const runComparisonSchema = z.object({
  verdict: z
    .enum(['equal', 'different', 'unverified'])
    .describe('unverified: nothing differs in what was recorded, but not all was.'),
  left: sideSchema,
  right: sideSchema,
  totals: z
    .object({ ...Object.fromEntries(statusSchema.options.map((status) => [status, count])) } as Record<
      ComparedStatus,
      typeof count
    >)
    .extend({
      moved: count.describe('Of the pairs above, those at another place.'),
      notCompared: count.describe('Inputs and outcomes that could not be compared because they were not recorded.'),
    }),
  environment: z
    .array(environmentSchema)
    .describe('What the runs were made of differently; told apart, because it makes no run different.'),
  leftOutEnvironment: count.optional().describe('How many more of them there are; absent when none.'),
  steps: z.array(comparedStepSchema).describe('The crossings of both runs, parents before children.'),
  leftOutSteps: count.optional().describe('How many more crossings there are behind these; absent when none.'),
  differences: z
    .array(differenceSchema)
    .describe('In the order in which the runs met them, the first first: the others may follow from it.'),
  leftOutDifferences: count.optional().describe('How many more crossings differ; absent when none.'),
  notes: z.array(z.string()).describe('Limits of this comparison that a reader must know.'),
});

/** Answer of `GET /api/v1/comparison`. */
export type RunComparison = z.infer<typeof runComparisonSchema>;
