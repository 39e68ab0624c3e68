import { z } from 'zod';

/** Where the function of a replay's root is to be found, as it travels to the process that calls it. */
export const entryOrderSchema = z.union([
  /** Absolute path of a configuration file; the entry is looked up by the crossing's `kind:name`. */
  z.strictObject({ config: z.string().min(1) }),
  /** `file#export`, the file absolute. */
  z.strictObject({ reference: z.string().min(1) }),
]);

/** Where the function of a replay's root is to be found. */
export type EntryOrder = z.infer<typeof entryOrderSchema>;
