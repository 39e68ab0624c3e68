const CLAIMED_SERVER = Symbol.for('reenact.claimed-server.1');

/**
 * Marks a server of the platform whose requests another instrumentation takes in as its own: gRPC calls are runs once, not a
 * second time as the HTTP/2 streams that carry them.
 */
export function claimServer(server: object): void {
  Object.defineProperty(server, CLAIMED_SERVER, { value: true, configurable: true });
}

/** Whether a server was claimed, also by another copy of this package. */
export function isClaimedServer(server: object): boolean {
  return Reflect.get(server, CLAIMED_SERVER) === true;
}
