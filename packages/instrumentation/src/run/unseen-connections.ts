/**
 * `pushed`: over what the program has opened outside of all runs. `sent`: to a server of it, or over what another run has opened; as what comes with
 * other requests it may be left out of the replay of one.
 */
export type ArrivalKind = 'pushed' | 'sent';

/** One connection that was opened where no instrumentation was looking, or what else went to the network there. */
export interface UnseenConnection {
  /** `<host>:<port>`, the path of a pipe or Unix socket, `udp <host>:<port>`, `dns.<function> <name>`, `program <name>`, `thread <file>`, `answers of thread <file>`, `calls of thread <file>`, `messages to <file>`, `what the MCP server <name> says by itself (<method>)`, `what the MCP server <name> says to another run (<method>)`, `what the MCP server <name> tells who listens (subscriptions/listen)`, `what came …` of a connection, a server or datagrams, `before the run: ` or `beside the run: ` and one of these, `file <path>`, `database <file>` or `call <client>.<method>`. */
  readonly place: string;
  /** The package whose code opened it; undefined for the code of the app, and in a bundle. */
  readonly package: string | undefined;
  /** Whether it is a database that the command of a replay opens again, and the guard refuses. */
  readonly isDatabase?: boolean;
  /** Present where it is what came to the program: no replay brings it again, and what is kept of it in memory serves all runs. */
  readonly arrival?: ArrivalKind;
  /** Asked when the crossing ends, where it is not known before: whether there is anything to tell of it. */
  readonly isLacking?: () => boolean;
}

/** The connections that the code directly inside one crossing opened, and the crossing's marks of them when it ends. */
export interface UnseenConnections {
  /** Whether somebody went there already; also once there is no room for further places. */
  hasPlace(place: string): boolean;
  /** Whether so many files are told that no other is. */
  readonly isFullOfFiles: boolean;
  /** Whether a connection was told by this object already. */
  isKnown(source: object): boolean;
  /** Has it known from now on. */
  noteSource(source: object): void;
  /** Keeps one connection. */
  add(connection: UnseenConnection): void;
  /** Lossy marks of those that are still unseen. */
  marks(): string[];
}
