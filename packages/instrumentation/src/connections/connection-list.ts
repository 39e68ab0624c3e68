import { CONNECTIONS_MARK } from '@reenact/trace-model';
import { CONNECTIONS_MAX } from '../limits.ts';
import type { UnseenConnection, UnseenConnections } from '../run/unseen-connections.ts';
import { PROGRAM_PLACE } from './started-program.ts';

/** The connections that the code directly inside one crossing opened, each place once, and bounded. */
export class ConnectionList implements UnseenConnections {
  private readonly connections = new Map<string, UnseenConnection>();
  private readonly places = new Set<string>();
  private readonly sources = new WeakSet<object>();
  private hasMore = false;

  /** Whether somebody went there already; also once there is no room for further places. */
  hasPlace(place: string): boolean {
    return this.places.has(place) || this.hasMore;
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
    if (this.connections.size < CONNECTIONS_MAX || this.connections.has(key)) {
      this.connections.set(key, connection);
      this.places.add(connection.place);
    } else {
      this.hasMore = true;
    }
  }

  /** Those that are programs which were started. */
  startedPrograms(): readonly UnseenConnection[] {
    return [...this.connections.values()].filter(({ place }) => place.startsWith(PROGRAM_PLACE));
  }

  /** Lossy marks, `/connections/<place> by <package>`. */
  marks(): string[] {
    const texts = [...this.connections.values()].map(({ place, package: name }) =>
      name === undefined ? place : `${place} by ${name}`,
    );
    if (this.hasMore) texts.push(`more than ${CONNECTIONS_MAX} places`);
    return texts.map((text) => `${CONNECTIONS_MARK}${text}`);
  }
}
