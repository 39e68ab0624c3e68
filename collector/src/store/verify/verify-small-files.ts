import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RETENTION_COPY_FILE, RETENTION_TIME_FILE } from '../data-directory.ts';
import { decodeCheckedJson } from '../files/checked-json.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { readWhole } from '../files/replace-file.ts';
import { QUEUE_FLOORS_FILE } from '../worker/queue-floors.ts';
import type { StoreProblems } from './store-problem.ts';

const SMALL_FILE_DAMAGED =
  'it is damaged; a collector that starts here goes on from what the index says, and writes it again';
const RETENTION_TIME_LOST = 'it is lost or damaged; a collector that starts here reads its copy, and writes it again';
/** Of the file that says how the clock was set, and its copy. */
export const RETENTION_TIMES_LOST =
  'this file and its copy are lost or damaged: how the clock was set is not known any more, so a collector that starts here counts every run as received then';

/** Checks the small files of a data directory as they were left, and gives whether both that say how the clock was set are gone. */
export function verifySmallFiles(directory: string, problems: StoreProblems): { readonly isRetentionLost: boolean } {
  const report = (name: string, what: string): void => problems.add('directory', join(directory, name), what);
  if (stateOf(directory, QUEUE_FLOORS_FILE) === 'damaged') report(QUEUE_FLOORS_FILE, SMALL_FILE_DAMAGED);
  const [file, copy] = [stateOf(directory, RETENTION_TIME_FILE), stateOf(directory, RETENTION_COPY_FILE)];
  // A store in which nothing was thinned out has neither, one of an earlier version no copy.
  if (file !== 'whole' && copy === 'whole') report(RETENTION_TIME_FILE, RETENTION_TIME_LOST);
  else if (file === 'damaged' || (file === 'lost' && copy === 'damaged'))
    report(RETENTION_TIME_FILE, RETENTION_TIMES_LOST);
  else if (copy === 'damaged') report(RETENTION_COPY_FILE, SMALL_FILE_DAMAGED);
  return { isRetentionLost: file === 'lost' && copy === 'lost' };
}

function stateOf(directory: string, name: string, disk: Disk = systemDisk): 'whole' | 'damaged' | 'lost' {
  const path = join(directory, name);
  if (!existsSync(path)) return 'lost';
  try {
    decodeCheckedJson(readWhole(disk, path));
    return 'whole';
  } catch {
    return 'damaged';
  }
}
