import { CONNECTIONS_MARK } from '@reenact/trace-model';
import { CONNECTIONS_MAX, FILES_NAMED_MAX } from '../../limits.ts';
import type { UnseenConnection, UnseenConnections } from '../../run/unseen-connections.ts';
import { PROGRAM_PLACE } from './started-program.ts';

/** Start of the place of a file that was changed. */
export const FILE_PLACE = 'file ';

/** Start of the place of what was done outside of all runs, before this one. */
export const BEFORE_RUN = 'before the run: ';

/** Start of the place of what was done outside of all runs, while this one went on. */
export const BESIDE_RUN = 'beside the run: ';

function isFile(place: string): boolean {
  return [FILE_PLACE, BEFORE_RUN + FILE_PLACE, BESIDE_RUN + FILE_PLACE].some((start) => place.startsWith(start));
}

/** Whether it counts for all runs of the program: a replay makes it again and refuses it, or cannot bring it. */
function isShared({ place, isDatabase, arrival }: UnseenConnection): boolean {
  return isDatabase === true || arrival !== undefined || place.startsWith(PROGRAM_PLACE);
}

/** How long a list is at some time. */
export interface ListLength {
  readonly connections: number;
  readonly files: number;
}

interface Kept {
  readonly connections: Map<string, UnseenConnection>;
  /** They have room of their own: one agent writes a thousand, and what it connects to is told all the same. */
  readonly files: Map<string, UnseenConnection>;
  readonly places: Set<string>;
}

/** The connections that the code directly inside one crossing opened, each place once, and bounded. */
export class ConnectionList implements UnseenConnections {
  /** Made with the first: nearly every list stays empty, and is held as long as its run's context, as by each connection that is kept alive. */
  private kept: Kept | undefined;
  private sources: WeakSet<object> | undefined;
  private readonly whose: string;
  private hasMore = false;
  private hasMoreFiles = false;

  /** @param whose ends what is said of more than there is room for. */
  constructor(whose = '') {
    this.whose = whose;
  }

  /** Whether somebody went there already; also once there is no room for further places. */
  hasPlace(place: string): boolean {
    return this.kept?.places.has(place) === true || (isFile(place) ? this.hasMoreFiles : this.hasMore);
  }

  /** Whether so many files are told that no other is. */
  get isFullOfFiles(): boolean {
    return this.hasMoreFiles;
  }

  /** Whether something was told by this already. */
  isKnown(source: object): boolean {
    return this.sources?.has(source) === true;
  }

  /** Has it known from now on: a statement is run a million times, and to tell of it each time costs more than it does. */
  noteSource(source: object): void {
    this.sources ??= new WeakSet();
    this.sources.add(source);
  }

  /** Keeps one connection. */
  add(connection: UnseenConnection): void {
    const key = `${connection.place} ${connection.package}`;
    const isOfFile = isFile(connection.place);
    this.kept ??= { connections: new Map(), files: new Map(), places: new Set() };
    const { connections, files, places } = this.kept;
    const [kept, max] = isOfFile ? [files, FILES_NAMED_MAX] : [connections, CONNECTIONS_MAX];
    if (kept.size < max || kept.has(key)) {
      kept.set(key, connection);
      places.add(connection.place);
    } else if (isOfFile) {
      this.hasMoreFiles = true;
    } else {
      this.hasMore = true;
    }
  }

  /** Has it say that there are files beside those that it names. */
  addMoreFiles(): void {
    this.hasMoreFiles = true;
  }

  /** How many places it holds, those of files apart: they stay in the order in which they came. */
  get length(): ListLength {
    return { connections: this.kept?.connections.size ?? 0, files: this.kept?.files.size ?? 0 };
  }

  /** Programs that were started, databases that were opened, files that were changed, and what came by itself, once the list was as long. */
  sharedSince({ connections, files }: ListLength): readonly UnseenConnection[] {
    const { kept } = this;
    if (kept === undefined || (kept.connections.size === connections && kept.files.size === files)) return [];
    const added = [...kept.connections.values()].slice(connections);
    return [...added.filter(isShared), ...[...kept.files.values()].slice(files)];
  }

  /** Lossy marks, `/connections/<place> by <package>`. */
  marks(): string[] {
    const all = this.kept === undefined ? [] : [...this.kept.connections.values(), ...this.kept.files.values()];
    const kept = all.filter(({ isLacking }) => isLacking?.() !== false);
    const texts = kept.map(({ place, package: name }) => (name === undefined ? place : `${place} by ${name}`));
    if (this.hasMore) texts.push(`more than ${CONNECTIONS_MAX} places${this.whose}`);
    if (this.hasMoreFiles) texts.push(`more than ${FILES_NAMED_MAX} files${this.whose}`);
    return texts.map((text) => `${CONNECTIONS_MARK}${text}`);
  }
}
