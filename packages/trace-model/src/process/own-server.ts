const OWN_SERVER = Symbol.for('reenact.own-server.1');

/**
 * Marks a server as one of Reenact's own: a collector inside an application with the hook. Its requests are no runs, or each
 * export would be recorded, exported, and recorded again.
 */
export function markOwnServer(server: object): void {
  Object.defineProperty(server, OWN_SERVER, { value: true });
}

/** Whether a server was marked, also by another copy of this package. */
export function isOwnServer(server: unknown): boolean {
  return typeof server === 'object' && server !== null && Reflect.get(server, OWN_SERVER) === true;
}
