import { TRAPS, type TrapKind } from '@reenact/instrumentation';
import { z } from 'zod';

const kinds = Object.keys(TRAPS) as [TrapKind, ...TrapKind[]];

/** One line of that file. `started`: the hook is in place. `ended`: how often each boundary was crossed, what crossings lacked, and how many recorders there were. */
export const findingSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), processId: z.number() }),
  z.object({ type: z.literal('trap'), kind: z.enum(kinds), detail: z.string() }),
  z.object({
    type: z.literal('ended'),
    processId: z.number(),
    crossings: z.record(z.string(), z.number()),
    flagged: z.record(z.string(), z.number()),
    recorders: z.number(),
  }),
]);

/** One line of the file a process under `reenact doctor` writes. */
export type Finding = z.infer<typeof findingSchema>;
