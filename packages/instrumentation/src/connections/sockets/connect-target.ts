/** Where a socket is told to connect: a host and a port, or the path of a pipe or of a Unix socket. */
export type ConnectTarget = { readonly path: string } | { readonly host: string; readonly port: number };

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/**
 * Reads the forms of `net.Socket.prototype.connect`: (port, host), (path), (options), and the list that `net.connect` makes of them.
 * Undefined where nothing is connected, and the original says why.
 */
export function connectTarget(parameters: readonly unknown[]): ConnectTarget | undefined {
  const [given] = parameters;
  if (Array.isArray(given)) return connectTarget(given);
  if (typeof given === 'string' && !/^\d+$/.test(given)) return { path: given };
  const isOptions = typeof given === 'object' && given !== null;
  const path = memberOf(given, 'path');
  if (typeof path === 'string' && path !== '') return { path };
  const port = Number(isOptions ? memberOf(given, 'port') : given);
  if (!Number.isInteger(port)) return undefined;
  const host = isOptions ? memberOf(given, 'host') : parameters[1];
  return { host: typeof host === 'string' && host !== '' ? host : 'localhost', port };
}
