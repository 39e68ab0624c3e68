import { appendFileSync } from 'node:fs';
import {
  crossingTally,
  flaggedTally,
  guarded,
  reportSettingTraps,
  TRAPS,
  type TrapKind,
  trapLog,
} from '@reenact/instrumentation';
import { z } from 'zod';
import { loadedPackages } from './module-watch.ts';

/** Environment variable that names the file a process under `reenact doctor` tells its findings to. */
export const DOCTOR_VARIABLE = 'REENACT_DOCTOR';

const kinds = Object.keys(TRAPS) as [TrapKind, ...TrapKind[]];

/** One line of that file. `started`: the hook is in place. `ended`: how often each boundary was crossed, and what crossings lacked. */
export const findingSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), processId: z.number() }),
  z.object({ type: z.literal('trap'), kind: z.enum(kinds), detail: z.string() }),
  z.object({
    type: z.literal('ended'),
    processId: z.number(),
    crossings: z.record(z.string(), z.number()),
    flagged: z.record(z.string(), z.number()),
  }),
]);

/** One line of the file a process under `reenact doctor` writes. */
export type Finding = z.infer<typeof findingSchema>;

/**
 * Where `reenact doctor` started this process: tells it every trap at once, and at the end what was recorded. A signal that nobody
 * handles ends the process by `exit`, `process.exit` of the entry point, so that this is told too. Call it before anything else can be trapped. Never throws.
 */
export function keepDoctorInformed(environment: NodeJS.ProcessEnv, exit: (code: number) => void): void {
  const path = environment[DOCTOR_VARIABLE];
  if (path === undefined || path === '') return;
  const write = (finding: Finding): void =>
    guarded('telling the doctor', () => appendFileSync(path, `${JSON.stringify(finding)}\n`), undefined);
  write({ type: 'started', processId: process.pid });
  trapLog.listen(({ kind, detail }) => write({ type: 'trap', kind, detail }));
  reportSettingTraps(environment);
  process.once('exit', () => {
    for (const driver of loadedPackages.unwrapped()) trapLog.report('unwrapped-driver', driver);
    const crossings = Object.fromEntries(crossingTally());
    write({ type: 'ended', processId: process.pid, crossings, flagged: Object.fromEntries(flaggedTally()) });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
}
