import type { Server } from 'node:net';
import type { PatchSet } from '@reenact/instrumentation';
import { isLoopback } from '@reenact/trace-model';

const servers = new Set<WeakRef<Server>>();

const unspecified: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** Whether to connect to a host is to stay on this machine, as it also is where none is named. */
export function leadsHere(host: string): boolean {
  return isLoopback(host) || unspecified.has(host);
}

function listensAt(server: Server, host: string, port: number): boolean {
  const address = server.listening ? server.address() : null;
  if (address === null || typeof address === 'string' || address.port !== port) return false;
  const isEverywhere = address.address === '::' || address.address === '0.0.0.0';
  return isEverywhere || host === '' || host === 'localhost' || host === address.address;
}

/** Whether a host and port lead to a server of this very process, so that nothing leaves it. */
export function isOwnServer(host: string, port: number): boolean {
  if (!leadsHere(host)) return false;
  for (const reference of servers) {
    const server = reference.deref();
    if (server === undefined) servers.delete(reference);
    else if (listensAt(server, host, port)) return true;
  }
  return false;
}

/** Remembers the servers that start to listen; listening itself is allowed, or no service could be replayed. */
export function watchOwnServers(patches: PatchSet, net: typeof import('node:net')): void {
  patches.wrap(net.Server.prototype, 'listen', ({ self, proceed }) => {
    servers.add(new WeakRef(self as Server));
    return proceed();
  });
}
