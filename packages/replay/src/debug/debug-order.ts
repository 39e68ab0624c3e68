import { z } from 'zod';

/** A place in a source as the engine counts it, line and column from 0, in the code that runs: before source maps. */
const placeSchema = z.strictObject({
  spanId: z.string(),
  /** `file:` URL, as debuggers name the script. */
  url: z.string(),
  line: z.number().int().min(0),
  column: z.number().int().min(0),
  /** Which call of a crossing from this place it is, counted from 1. */
  ordinal: z.number().int().min(1),
});

/** Where in the user's code one crossing was called. */
export type CallPlace = z.infer<typeof placeSchema>;

/** What a replay's process is to do for somebody who debugs it (docs/debugging.md). */
export const debugOrderSchema = z.discriminatedUnion('type', [
  /** Report where the crossings are called from, and end once all are known. */
  z.strictObject({ type: z.literal('scout'), spanIds: z.array(z.string()) }),
  /** Wait for a debugger, and stop before these crossings. */
  z.strictObject({
    type: z.literal('stop'),
    port: z.number().int().min(0).max(65_535),
    spanIds: z.array(z.string()),
    places: z.array(placeSchema),
  }),
  /** Wait for a debugger, and stop at the first line of the program. */
  z.strictObject({ type: z.literal('first-line'), port: z.number().int().min(0).max(65_535) }),
]);

/** What a replay's process is to do for somebody who debugs it. */
export type DebugOrder = z.infer<typeof debugOrderSchema>;
