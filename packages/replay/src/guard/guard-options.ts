import { z } from 'zod';

/** What code that no boundary covers may touch during a replay, as it travels to the processes of a replay. */
export const guardOptionsSchema = z.strictObject({
  /** `api.example.com`, `*.example.com`, each with or without `:443`; IPv6 addresses in brackets. */
  allowHosts: z.array(z.string().min(1)).default([]),
  /** Files, or folders with everything below; absolute, or relative to the working directory. */
  allowPaths: z.array(z.string().min(1)).default([]),
  /** Programs that are started for real: `git`, wherever it lies, or an absolute path. */
  allowPrograms: z.array(z.string().min(1)).default([]),
});

/** What code that no boundary covers may touch during a replay. */
export type GuardOptions = z.infer<typeof guardOptionsSchema>;

/** The guard's default: nothing beyond what every replay allows (docs/adr/0009). */
export const NOTHING_ALLOWED: GuardOptions = { allowHosts: [], allowPaths: [], allowPrograms: [] };
