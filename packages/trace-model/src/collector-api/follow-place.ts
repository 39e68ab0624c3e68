import { z } from 'zod';

/** What an answer says about where a tail goes on from it. */
export const followPlaceShape = {
  followFrom: z
    .string()
    .optional()
    .describe(
      'Send it to GET /api/v1/tail as Last-Event-ID: the tail tells what is not in this answer, also runs that wait for their summary, as soon as they have it. It may tell some that are in the answer.',
    ),
};
