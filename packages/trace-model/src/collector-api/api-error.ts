import { z } from 'zod';

/** Path of the collector's query API, version 1. */
export const API_PREFIX = '/api/v1';

/** Body of every answer of the API that is not 2xx. */
export const apiErrorSchema = z.object({
  error: z.object({
    code: z.string().describe('One of the codes of `reenact docs errors`.'),
    message: z.string(),
    next: z.string().optional().describe('What to do about it.'),
  }),
});

/** Body of every answer of the API that is not 2xx. */
export type ApiError = z.infer<typeof apiErrorSchema>;
