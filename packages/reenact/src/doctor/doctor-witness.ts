import { appendFileSync } from 'node:fs';
import {
  crossingTally,
  flaggedTally,
  gate,
  guarded,
  isSpoolOff,
  reportSettingTraps,
  requirePlace,
  spoolPlaces,
  trapLog,
} from '@reenact/instrumentation';
import { watchAddOnConnections } from './add-on-watch.ts';
import type { Finding } from './finding.ts';
import { loadedPackages } from './module-watch.ts';

/** Environment variable that names the file a process under `reenact doctor` tells its findings to. */
export const DOCTOR_VARIABLE = 'REENACT_DOCTOR';

const INFORMED = Symbol.for('reenact.doctor-informed');

/**
 * Where `reenact doctor` started this process: tells it every trap at once, and at the end what was recorded. A signal that nobody
 * handles ends the process by `exit`, `process.exit` of the entry point, so that this is told too. Call it before anything else can be trapped; a second call does nothing. Never throws.
 */
export function keepDoctorInformed(environment: NodeJS.ProcessEnv, exit: (code: number) => void): void {
  const path = environment[DOCTOR_VARIABLE];
  const holder = globalThis as { [INFORMED]?: boolean };
  if (path === undefined || path === '' || holder[INFORMED] === true) return;
  holder[INFORMED] = true;
  const write = (finding: Finding): void =>
    guarded('telling the doctor', () => appendFileSync(path, `${JSON.stringify(finding)}\n`), undefined);
  write({ type: 'started', processId: process.pid });
  trapLog.listen(({ kind, detail }) => write({ type: 'trap', kind, detail }));
  reportSettingTraps(environment);
  if (!isSpoolOff(environment)) requirePlace(spoolPlaces(environment));
  watchAddOnConnections();
  process.once('exit', () => {
    loadedPackages.reportPreloaded();
    for (const driver of loadedPackages.unwrapped()) trapLog.report('unwrapped-driver', driver);
    const crossings = Object.fromEntries(crossingTally());
    const flagged = Object.fromEntries(flaggedTally());
    write({ type: 'ended', processId: process.pid, crossings, flagged, recorders: gate.recorderCount });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
}
