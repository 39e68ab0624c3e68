import { descriptorLinks } from './descriptor-links.ts';
import { Lookout } from './lookout.ts';
import { tcpEntries } from './tcp-table.ts';

/** Taken now: in a replay, functions that read files are others'. */
const { readFileSync } = process.getBuiltinModule('node:fs');

/** A TCP connection of this process that no socket of Node.js holds: code of a native add-on has opened it. */
export interface NativeConnection {
  readonly host: string;
  readonly port: number;
}

interface Connecting {
  readonly _handle?: { readonly fd?: number } | null;
}

/** Name servers are asked for by the platform's own resolvers, on sockets that no code of JavaScript sees. */
const nameServerPort = 53;
/** Sockets that have gone are looked for among those that were claimed whenever there are this many more. */
const claimsPruned = 1_000;
const tcpTables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const otherTables = ['/proc/self/net/unix', '/proc/self/net/udp', '/proc/self/net/udp6'];

function readTable(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Without IPv6 there are no tables of it, and none at all elsewhere than on Linux.
    return '';
  }
}

/** Which of some sockets are pipes or send datagrams. In the table of pipes the inode is the seventh column, in others the tenth. */
function otherThanTcp(inodes: ReadonlySet<number>): number[] {
  return otherTables.flatMap((path) => {
    const column = path.endsWith('unix') ? 6 : 9;
    const rows = readTable(path).split('\n');
    return rows.map((row) => Number(row.trim().split(/\s+/)[column])).filter((inode) => inodes.has(inode));
  });
}

/** The inodes of the sockets of this process, by descriptor. */
function socketInodes(): Map<number, number> {
  const found = new Map<number, number>();
  for (const [descriptor, link] of descriptorLinks()) {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(link) ?? [];
    if (inode !== undefined) found.set(descriptor, Number(inode));
  }
  return found;
}

/**
 * Finds connections that native add-ons of this process open, from Linux' own tables: what is there when somebody looks and stands for
 * no socket that Node.js has connected or accepted. A connection that has come and gone between two looks is not found; neither are
 * pipes and datagrams. Elsewhere than on Linux nothing is found. Sockets of worker threads are taken for such: have none.
 */
export class NativeConnections {
  private readonly claimed = new Set<WeakRef<Connecting>>();
  private claimsMax = claimsPruned;
  /** Inodes of sockets that are no native connection, or have been told of. */
  private settled = new Set<number>();

  private readonly lookout = new Lookout();

  /** Takes a socket for one of Node.js, from before it connects. */
  claim(socket: object): void {
    this.claimed.add(new WeakRef(socket as Connecting));
    if (this.claimed.size > this.claimsMax) this.prune();
  }

  /** Takes every socket that is there for none of an add-on. */
  settle(): void {
    this.settled = new Set(socketInodes().values());
  }

  /** Whether somebody looks. */
  get isWatching(): boolean {
    return this.lookout.isOn;
  }

  /** Looks from now on, as a {@link Lookout} does; only where nobody does. */
  watch(found: (connections: readonly NativeConnection[]) => void): void {
    this.lookout.start(() => {
      const connections = this.look();
      if (connections.length > 0) found(connections);
    });
  }

  /** Looks no more, until somebody watches again. */
  unwatch(): void {
    this.lookout.stop();
  }

  /** Those that were not there at the last look. Never throws. */
  look(): readonly NativeConnection[] {
    const inodes = socketInodes();
    const present = new Set(inodes.values());
    for (const inode of this.settled) if (!present.has(inode)) this.settled.delete(inode);
    for (const reference of this.claimed) {
      const inode = inodes.get(reference.deref()?._handle?.fd ?? -1);
      if (inode !== undefined) this.settled.add(inode);
    }
    const unknown = new Set([...present].filter((inode) => !this.settled.has(inode)));
    return unknown.size === 0 ? [] : this.connectionsOf(unknown);
  }

  private connectionsOf(unknown: ReadonlySet<number>): NativeConnection[] {
    const entries = tcpTables.flatMap((path) => tcpEntries(readTable(path)));
    const listening = entries.filter(({ isListening }) => isListening);
    // Of a cluster, another process may listen where this one was handed a connection.
    const served = new Set(listening.map(({ localPort }) => localPort));
    const found: NativeConnection[] = [];
    for (const { inode, isListening, localPort, remoteHost, remotePort } of entries) {
      // One that leads nowhere yet is looked at again, as is one that is in no table yet.
      if (!unknown.has(inode) || (!isListening && remotePort === 0)) continue;
      this.settled.add(inode);
      if (isListening || served.has(localPort) || remotePort === nameServerPort) continue;
      found.push({ host: remoteHost, port: remotePort });
    }
    for (const inode of otherThanTcp(unknown)) this.settled.add(inode);
    return found;
  }

  private prune(): void {
    for (const reference of this.claimed) if (reference.deref() === undefined) this.claimed.delete(reference);
    this.claimsMax = this.claimed.size + claimsPruned;
  }
}
