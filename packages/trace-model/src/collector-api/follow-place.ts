import { z } from 'zod';

/** What an answer says about where a tail goes on from it. */
export const followPlaceShape = {
  followFrom: z
    .string()
    .optional()
    .describe(
      'Send it to GET /api/v1/tail as Last-Event-ID: the tail tells what is not in this answer, also of runs that wait for their summary, the 64 of them that changed last. It may tell some that are in the answer.',
    ),
};
