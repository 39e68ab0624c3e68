import type { RedactionOptions } from '@reenact/instrumentation';
import { BOUNDARY_KINDS } from '@reenact/trace-model';
import { z } from 'zod';
import type { EntryFunction } from './entry-function.ts';
import { redactionSchema } from './redaction-schema.ts';

/** Gives the function of an entry; it may load the module first. */
export type EntryLoader = () => EntryFunction | Promise<EntryFunction>;

const labelPattern = new RegExp(`^(${BOUNDARY_KINDS.join('|')}):.+$`, 's');
const referencePattern = /^[^#]+(#[^#]+)?$/;

const labelSchema = z
  .string()
  .regex(labelPattern, `a key is kind:name, for example agent:trader; the kinds are ${BOUNDARY_KINDS.join(', ')}`);

const entrySchema = z.union(
  [z.string().regex(referencePattern), z.custom<EntryLoader>((value) => typeof value === 'function')],
  'an entry is a function that gives the function to call, or a text such as ./tools.ts#placeOrder',
);

/** The shape of `reenact.config.ts`. */
export const configSchema = z.strictObject({
  /**
   * Which function is called for a crossing, by its `kind:name`: a loader, or `file#export` with the file relative to the
   * configuration.
   */
  entries: z.record(labelSchema, entrySchema).default({}),
  /** What is redacted beside the defaults, in processes whose `REENACT_CONFIG` names this file. */
  redaction: redactionSchema.optional(),
});

/** What a user writes into `reenact.config.ts`. */
export interface ReenactConfig {
  /**
   * Which function of yours is called for a crossing, by its `kind:name`: a loader, or `file#export` with the file relative
   * to the configuration. It must be the wrapped function, the one that crosses the boundary.
   */
  readonly entries?: Readonly<Record<string, string | EntryLoader>>;
  /**
   * What is redacted beside the defaults, as `configureRedaction` takes it. The register hook puts it in force in every process
   * whose environment variable `REENACT_CONFIG` names this file, and in no other.
   */
  readonly redaction?: RedactionOptions;
}

/** Gives its argument back; it is there for the types. Export the result as `reenact`. */
export function defineReenact(config: ReenactConfig): ReenactConfig {
  return config;
}
