import * as files from 'node:fs';
import { join } from 'node:path';
import { pristine } from '../host/pristine.ts';
import { processName } from '../host/process-names.ts';
import { SPOOL_FOLDERS_A_TURN, SPOOL_FOREIGN_STALE_MS } from '../limits.ts';
import { folderName, lifeOf, ownerOf, type SpoolOwner } from './spool-owner.ts';
import { SEGMENT_ENDING } from './spool-segment.ts';
import { ABOUT_FILE } from './spool-segments.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readdirSync, readFileSync, renameSync, statSync } = { ...files };

/** One process's folder in a spool directory. */
export interface SpoolFolder {
  readonly path: string;
  readonly owner: SpoolOwner;
  /** Where its spans were meant to go, in words; empty where nobody noted it. */
  readonly destination: string;
  /** As whom its process sent (`senderOf`); undefined where it did without a token, and where nobody noted it. */
  readonly sender: string | undefined;
  /** The processes that its process descends from (`ancestorNames`); empty where nobody noted them. */
  readonly startedBy: readonly string[];
  /** Whether its process is gone, so that somebody else has to deliver it. */
  readonly isLeftBehind: boolean;
  readonly segmentCount: number;
  readonly sizeBytes: number;
  readonly modifiedUnixMs: number;
}

function aboutOf(path: string): Pick<SpoolFolder, 'destination' | 'sender' | 'startedBy'> {
  try {
    const about = JSON.parse(readFileSync(join(path, ABOUT_FILE), 'utf8')) as {
      destination?: unknown;
      sender?: unknown;
      startedBy?: unknown;
    };
    const { destination, sender, startedBy } = about;
    return {
      destination: typeof destination === 'string' ? destination : '',
      sender: typeof sender === 'string' ? sender : undefined,
      startedBy: Array.isArray(startedBy) ? startedBy.filter((name) => typeof name === 'string') : [],
    };
  } catch {
    return { destination: '', sender: undefined, startedBy: [] };
  }
}

function isLeftBehind(owner: SpoolOwner, scope: string, modifiedUnixMs: number): boolean {
  const life = lifeOf(owner, scope);
  if (life !== 'unknown') return life === 'gone';
  return pristine.dateNow() - modifiedUnixMs > SPOOL_FOREIGN_STALE_MS;
}

function describe(path: string, owner: SpoolOwner, scope: string): SpoolFolder {
  const modifiedUnixMs = statSync(path).mtimeMs;
  const sizes = readdirSync(path)
    .filter((name) => name.endsWith(SEGMENT_ENDING))
    .map((name) => statSync(join(path, name)).size);
  return {
    path,
    owner,
    ...aboutOf(path),
    isLeftBehind: isLeftBehind(owner, scope, modifiedUnixMs),
    segmentCount: sizes.length,
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    modifiedUnixMs,
  };
}

/** Looked at before anything is read of a folder. */
type IsWanted = (owner: SpoolOwner) => boolean;

/** The names in a spool directory; empty where there is none. */
function namesIn(place: string): string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

function describeAll(place: string, names: readonly string[], scope: string, isWanted: IsWanted): SpoolFolder[] {
  return names.flatMap((name) => {
    const owner = ownerOf(name);
    if (owner === undefined || !isWanted(owner)) return [];
    try {
      return [describe(join(place, name), owner, scope)];
    } catch {
      // Delivered and removed by another process in this moment.
      return [];
    }
  });
}

function oldestFirst(folders: readonly SpoolFolder[]): SpoolFolder[] {
  return folders.toSorted((left, right) => left.modifiedUnixMs - right.modifiedUnixMs);
}

/** Every process's folder in a spool directory, oldest first. `scope`: that of this process. Empty where there is none. */
export function listSpoolFolders(place: string, scope: string): SpoolFolder[] {
  return oldestFirst(describeAll(place, namesIn(place), scope, () => true));
}

/**
 * The same for a process that has something else to do, which looks at `SPOOL_FOLDERS_A_TURN` at a time: thousands of folders take a second. `mayGoOn`: waited for
 * between two such looks; undefined where it says no.
 */
export async function listSpoolFoldersInTurns(
  place: string,
  scope: string,
  mayGoOn: () => Promise<boolean>,
): Promise<SpoolFolder[] | undefined> {
  const names = namesIn(place);
  const folders: SpoolFolder[] = [];
  for (let first = 0; first < names.length; first += SPOOL_FOLDERS_A_TURN) {
    if (first > 0 && !(await mayGoOn())) return undefined;
    folders.push(...describeAll(place, names.slice(first, first + SPOOL_FOLDERS_A_TURN), scope, () => true));
  }
  return oldestFirst(folders);
}

/** Whether one process may descend from another: it started no sooner. True where the system does not tell. */
function mayDescendFrom(ancestor: SpoolOwner, { start }: SpoolOwner): boolean {
  return start === '0' || ancestor.start === '0' || Number(start) >= Number(ancestor.start);
}

/**
 * The folders that were left behind by processes which this one, `owner`, or one of them has started, and that were meant to go where its own spans do. Of a process
 * that lives there is none. Read is nothing of what was there before this process: whoever flushes waits, and that may be thousands of folders.
 */
export function leftByDescendants(place: string, owner: SpoolOwner): SpoolFolder[] {
  const name = processName(owner);
  const isGone = (other: SpoolOwner): boolean =>
    other.destination === owner.destination && mayDescendFrom(owner, other) && lifeOf(other, owner.scope) === 'gone';
  const gone = describeAll(place, namesIn(place), owner.scope, isGone);
  return oldestFirst(gone.filter(({ startedBy }) => startedBy.includes(name)));
}

/** The names of the folders that processes of this scope left behind for one destination. Nothing is read of any, so that one may look often. */
export function namesLeftBehind(place: string, { destination, scope }: SpoolOwner): string[] {
  return namesIn(place).filter((name) => {
    const owner = ownerOf(name);
    return owner?.destination === destination && lifeOf(owner, scope) === 'gone';
  });
}

/**
 * Makes a folder that was left behind one's own, so that nobody else delivers it: a rename, which one of several processes
 * wins. Undefined for those that do not.
 */
export function adoptFolder(place: string, folder: SpoolFolder, adopter: SpoolOwner): string | undefined {
  const path = join(place, folderName({ ...adopter, destination: folder.owner.destination }));
  try {
    renameSync(folder.path, path);
    return path;
  } catch {
    return undefined;
  }
}
