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

/** The connections that the code directly inside one crossing opened, each place once, and bounded. */
export class ConnectionList implements UnseenConnections {
  private readonly connections = new Map<string, UnseenConnection>();
  /** They have room of their own: one agent writes a thousand, and what it connects to is told all the same. */
  private readonly files = new Map<string, UnseenConnection>();
  private readonly places = new Set<string>();
  private readonly sources = new WeakSet<object>();
  private readonly whose: string;
  private hasMore = false;
  private hasMoreFiles = false;

  /** @param whose ends what is said of more than there is room for. */
  constructor(whose = '') {
    this.whose = whose;
  }

  /** Whether somebody went there already; also once there is no room for further places. */
  hasPlace(place: string): boolean {
    return this.places.has(place) || (isFile(place) ? this.hasMoreFiles : this.hasMore);
  }

  /** Whether so many files are told that no other is. */
  get isFullOfFiles(): boolean {
    return this.hasMoreFiles;
  }

  /** Whether something was told by this already. */
  isKnown(source: object): boolean {
    return this.sources.has(source);
  }

  /** Has it known from now on: a statement is run a million times, and to tell of it each time costs more than it does. */
  noteSource(source: object): void {
    this.sources.add(source);
  }

  /** Keeps one connection. */
  add(connection: UnseenConnection): void {
    const key = `${connection.place} ${connection.package}`;
    const isOfFile = isFile(connection.place);
    const [kept, max] = isOfFile ? [this.files, FILES_NAMED_MAX] : [this.connections, CONNECTIONS_MAX];
    if (kept.size < max || kept.has(key)) {
      kept.set(key, connection);
      this.places.add(connection.place);
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
    return { connections: this.connections.size, files: this.files.size };
  }

  /** Programs that were started, databases that were opened, files that were changed, and what came by itself, once the list was as long. */
  sharedSince({ connections, files }: ListLength): readonly UnseenConnection[] {
    if (this.connections.size === connections && this.files.size === files) return [];
    const added = [...this.connections.values()].slice(connections);
    return [...added.filter(isShared), ...[...this.files.values()].slice(files)];
  }

  /** Lossy marks, `/connections/<place> by <package>`. */
  marks(): string[] {
    const kept = [...this.connections.values(), ...this.files.values()].filter(
      ({ isLacking }) => isLacking?.() !== false,
    );
    const texts = kept.map(({ place, package: name }) => (name === undefined ? place : `${place} by ${name}`));
    if (this.hasMore) texts.push(`more than ${CONNECTIONS_MAX} places${this.whose}`);
    if (this.hasMoreFiles) texts.push(`more than ${FILES_NAMED_MAX} files${this.whose}`);
    return texts.map((text) => `${CONNECTIONS_MARK}${text}`);
  }
}
