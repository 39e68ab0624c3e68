import { CONNECTIONS_MARK } from '@reenact/trace-model';
import { hasWrappedClient } from '../clients/drivers.ts';
import { CONNECTIONS_MAX } from '../limits.ts';

/** One connection that was opened where no instrumentation was looking. */
export interface UnseenConnection {
  /** `<host>:<port>`, or the path of a pipe or Unix socket. */
  readonly place: string;
  /** The package whose code opened it; undefined for the code of the app, and in a bundle. */
  readonly package: string | undefined;
}

/** The connections that the code directly inside one crossing opened, each place once, and bounded. */
export class ConnectionList {
  private readonly connections = new Map<string, UnseenConnection>();
  private hasMore = false;

  /** Keeps one connection. */
  add(connection: UnseenConnection): void {
    const key = `${connection.place} ${connection.package}`;
    if (this.connections.size < CONNECTIONS_MAX || this.connections.has(key)) this.connections.set(key, connection);
    else this.hasMore = true;
  }

  /** Lossy marks, `/connections/<place> by <package>`. A driver may be wrapped after it has connected: it counts as seen then. */
  marks(): string[] {
    const unseen = [...this.connections.values()].filter(({ package: name }) => !(name && hasWrappedClient(name)));
    const texts = unseen.map(({ place, package: name }) => (name === undefined ? place : `${place} by ${name}`));
    if (this.hasMore) texts.push(`more than ${CONNECTIONS_MAX} places`);
    return texts.map((text) => `${CONNECTIONS_MARK}${text}`);
  }
}
