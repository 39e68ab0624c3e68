import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Attempts } from './attempts.ts';
import { pool } from './pool.ts';

const { HTTP_PORT, HTTP2_PORT, TCP_PORT } = process.env;
const host = '127.0.0.1';
const printReplay = ['-p', 'process.env.REENACT_REPLAY === undefined ? "outside" : "inside"'];

/** What a tool does that was asked to run live. */
export const attempts: Attempts = {
  'a file': () => appendFile('live.txt', 'by the tool'),
  'a file kept open': () => {
    pool.descriptor = openSync('live.txt', 'a');
    return writeSync(pool.descriptor, ', twice');
  },
  'a request': async () => {
    const [response] = await once(get({ port: HTTP_PORT, host, agent: pool.agent }), 'response');
    return text(response);
  },
  'a fetch': async () => (await fetch(`http://${host}:${HTTP_PORT}/`)).text(),
  'an HTTP/2 session': async () => {
    pool.session = connectHttp2(`http://${host}:${HTTP2_PORT}`);
    return text(pool.session.request({ ':path': '/' }));
  },
  'a connection': async () => {
    pool.socket = connect(Number(TCP_PORT), host);
    pool.socket.setEncoding('utf8');
    // A write that fails also tells the socket's own listeners.
    pool.socket.on('error', () => undefined);
    const [greeting] = await once(pool.socket, 'data');
    pool.socket.write('from the tool;');
    return greeting;
  },
  'a program with an environment of its own': () =>
    execFileSync(process.execPath, printReplay, { env: {}, encoding: 'utf8' }).trim(),
  'a program that inherits': async () => {
    const child = spawn(process.execPath, printReplay);
    return (await text(child.stdout)).trim();
  },
};
