import { once } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { Peer } from '../fidelity-library.ts';
import { MoodyProxy } from '../peers/moody-proxy.ts';

/** As many as the cases hold open at once. */
const CONNECTIONS_MAX = 4;

/** The message Terminate. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

let made: Promise<PGlite> | undefined;

/** Postgres itself, compiled to WebAssembly, speaking its own wire protocol: one per test file, a server of its own per peer. */
export async function startPgPeer(): Promise<Peer> {
  made ??= PGlite.create();
  const db = await made;
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: CONNECTIONS_MAX });
  const listening = once(server, 'listening');
  await server.start();
  const [{ detail }] = (await listening) as [CustomEvent<{ port: number }>];
  return MoodyProxy.start({
    at: { host: '127.0.0.1', port: detail.port },
    stop: () => server.stop(),
    isGoodbye: (sent) => sent.equals(TERMINATE),
  });
}
