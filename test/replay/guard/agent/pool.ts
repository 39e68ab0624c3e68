import { Agent } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** Connections that the tool opens and leaves open, as a client library does, for whoever comes next. */
export const pool: { readonly agent: Agent; socket?: Socket; session?: ClientHttp2Session; descriptor?: number } = {
  agent: new Agent({ keepAlive: true, maxSockets: 1 }),
};
