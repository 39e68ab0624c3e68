import * as files from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectories } from '../host/make-directories.ts';
import { guarded } from '../host/report-failure.ts';
import { trapLog } from '../traps/trap-log.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { statSync } = { ...files };

/** Where the spool may be, best first: `REENACT_SPOOL_DIR` alone where it is set. */
export function spoolPlaces(environment: NodeJS.ProcessEnv): string[] {
  const { REENACT_SPOOL_DIR: chosen, XDG_STATE_HOME: state } = environment;
  if (chosen !== undefined && chosen !== '') return [chosen];
  const home = guarded('finding the home directory', homedir, '');
  const user = process.getuid?.() ?? 'user';
  return [
    ...(state === undefined || state === '' ? [] : [join(state, 'reenact', 'spool')]),
    ...(home === '' ? [] : [join(home, '.local', 'state', 'reenact', 'spool')]),
    join(tmpdir(), `reenact-${user}`, 'spool'),
  ];
}

/** Whether the spool is switched off: `REENACT_SPOOL=off`. */
export function isSpoolOff(environment: NodeJS.ProcessEnv): boolean {
  return /^(off|0|false|no)$/i.test(environment.REENACT_SPOOL ?? '');
}

/** Nobody else's folder: recordings hold what users said. */
function isOurs(path: string): boolean {
  const found = statSync(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}

/** Those of the places that are there and ours alone; none is made. Never throws. */
export function ownPlaces(places: readonly string[]): string[] {
  return places.filter((path) => {
    try {
      return isOurs(path);
    } catch {
      return false;
    }
  });
}

/** Makes the first of the places that can be made and is ours alone; undefined where none can. Never throws. `refused`: told why, of each before it. */
export function preparePlace(
  places: readonly string[],
  refused?: (place: string, why: string) => void,
): string | undefined {
  return places.find((path) => {
    try {
      makeDirectories(path);
      if (isOurs(path)) return true;
      refused?.(path, 'is no folder of this user');
    } catch (thrown) {
      refused?.(path, codeOf(thrown));
    }
    return false;
  });
}

function codeOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message;
}

/** Tells that nothing can be written to the spool: once in a process, for whoever runs it must know before it is killed. Never throws. */
export function reportNoSpool(place: string, thrown: unknown): void {
  trapLog.report('no-spool', `${place}: ${codeOf(thrown)}`);
}

/** The place for the spool as `preparePlace` makes it; where there is none, that is told, with why. Never throws. */
export function requirePlace(places: readonly string[]): string | undefined {
  const refusals: string[] = [];
  const place = preparePlace(places, (path, why) => refusals.push(`${path}: ${why}`));
  if (place === undefined) trapLog.report('no-spool', refusals.join(', '));
  return place;
}
