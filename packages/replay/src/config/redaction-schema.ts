import { type RedactionOptions, type RedactionRule, RULE_ID_PATTERN } from '@reenact/instrumentation';
import { z } from 'zod';

const ruleSchema = z
  .strictObject({
    id: z.string().regex(RULE_ID_PATTERN, 'an id is lower-case words joined by hyphens, of at most 40 characters'),
    why: z.string(),
    path: z.string().min(1).exactOptional(),
    pattern: z.instanceof(RegExp, { error: 'a pattern is a regular expression' }).exactOptional(),
    find: z
      .custom<NonNullable<RedactionRule['find']>>((value) => typeof value === 'function', 'find is a function')
      .exactOptional(),
  })
  .refine(
    ({ path, pattern, find }) => path !== undefined || pattern !== undefined || find !== undefined,
    'a rule needs a path, a pattern or a find function',
  );

/** The shape of `redaction` in `reenact.config.ts`: what `configureRedaction` takes. */
export const redactionSchema: z.ZodType<RedactionOptions> = z.strictObject({
  defaults: z.boolean().exactOptional(),
  without: z.array(z.string()).exactOptional(),
  personal: z.array(z.enum(['email', 'phone'])).exactOptional(),
  rules: z.array(ruleSchema).exactOptional(),
});
