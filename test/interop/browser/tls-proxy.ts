import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A proxy that ends TLS and has what is behind it below a path. */
export interface TlsProxy {
  /** Ends with `/`. */
  readonly url: string;
  /** Headers of its answers, by the path that was asked behind it. */
  readonly answered: ReadonlyMap<string, NodeJS.Dict<string | string[]>>;
  stop(): Promise<void>;
}

/** Key and certificate of a server, as text. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Starts a proxy before one address, below a path such as `/tools/reenact/`. */
export async function startTlsProxy(target: string, prefix: string, identity: ServerIdentity): Promise<TlsProxy> {
  const answered = new Map<string, NodeJS.Dict<string | string[]>>();
  const server = createServer(identity, (incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (!url.startsWith(prefix)) {
      outgoing.writeHead(404).end();
      return;
    }
    const path = `/${url.slice(prefix.length)}`;
    const host = new URL(target).host;
    const asked = request(new URL(path, target), { method, headers: { ...headers, host } }, (answer) => {
      answered.set(path.replace(/\?.*/, ''), answer.headers);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    // As proxies say that who is behind them is away.
    asked.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end('Bad Gateway')));
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `https://127.0.0.1:${port}${prefix}`, answered, stop };
}
