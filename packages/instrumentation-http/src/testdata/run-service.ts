import http, { type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logOf } from './request-log.ts';

/** A service of the process under test on a free port. */
export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server as an app does, and stops it with all its connections. */
export async function startService(given: RequestListener | Server): Promise<Service> {
  const server = typeof given === 'function' ? http.createServer(given) : given;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Everything a client sees of one request, made past all patches. */
export async function clientSees(
  send: typeof http.request,
  url: string,
  options: http.RequestOptions = {},
  body = '',
): Promise<unknown[]> {
  const log = await logOf(send(url, { ...options, agent: false }).end(body));
  return log.map((entry) => JSON.parse(JSON.stringify(entry).replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, 'date')));
}
