import { writeSync } from 'node:fs';
import { get } from 'node:http';
import { type Attempts, calledBack, ending } from './attempts.ts';
import { pool } from './pool.ts';

const { HTTP_PORT } = process.env;

/** What the agent's own code tries over what a live tool has left open. */
export const attempts: Attempts = {
  'http.request over a kept connection': () =>
    ending(get({ port: HTTP_PORT, host: '127.0.0.1', agent: pool.agent }), 'response'),
  'fetch over a kept connection': async () => (await fetch(`http://127.0.0.1:${HTTP_PORT}/`)).text(),
  'http2.request over a kept session': () => String(pool.session?.request({ ':path': '/' }).closed),
  'fs.writeSync to a kept descriptor': () => writeSync(pool.descriptor ?? -1, ', by the agent'),
  'net.Socket.write over a kept connection': () => calledBack((done) => pool.socket?.write('from the agent;', done)),
};
