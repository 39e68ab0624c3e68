import { ok, strictEqual } from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { appendFile, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attempts } from './attempts.ts';

const require = createRequire(`${process.cwd()}/package.json`);

async function ownServer(): Promise<string> {
  const server = createServer((_, response) => response.end('answered by itself'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fetched = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  const [response] = await once(get(`http://localhost:${port}/`, { family: 4 }), 'response');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  strictEqual(fetched, 'answered by itself');
  return text(response).catch(() => fetched);
}

async function temporaryFiles(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'allowed-'));
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  writeFileSync(join(folder, 'deep/er/a.txt'), 'a');
  await appendFile(join(folder, 'deep/er/a.txt'), 'b');
  await rename(join(folder, 'deep/er/a.txt'), join(folder, 'b.txt'));
  const handle = await open(join(folder, 'b.txt'), 'r+');
  await handle.write('c', 2);
  await handle.close();
  strictEqual(readFileSync(join(folder, 'b.txt'), 'utf8'), 'abc');
  rmSync(folder, { recursive: true });
}

/** What a program must be able to do in a replay although no boundary covers it. */
export const attempts: Attempts = {
  'writing to standard output and error': () => {
    console.log('to standard output');
    console.error('to standard error');
    process.stdout.write('written\n');
    writeSync(1, 'written by descriptor\n');
  },
  'temporary files': temporaryFiles,
  'the null device': () => writeFile('/dev/null', 'x'),
  'reading files': async () => {
    ok(statSync('package.json').isFile() && existsSync('package.json'));
    strictEqual(await readFile('package.json', { encoding: 'utf8', flag: 'r' }), '{}');
    strictEqual(await text(createReadStream('package.json')), '{}');
    ok((await readdir('.')).includes('package.json'));
  },
  'a folder that is there': () => mkdirSync('node_modules', { recursive: true }),
  'loading modules': async () => {
    ok('attempts' in require('old-library'));
    ok('attemptAll' in (await import(`./attempts.ts?${randomUUID()}`)));
  },
  'listening, and being asked by itself': ownServer,
  'listening on all addresses': async () => {
    const server = createNetServer().listen(0);
    await once(server, 'listening');
    server.close();
  },
  'datagrams on loopback': async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.close();
  },
  'timers and hashes': async () => {
    await wait(1);
    strictEqual(createHash('sha256').update('x').digest('hex').length, 64);
  },
  'names of this machine': async () => strictEqual((await lookup('localhost', 4)).address, '127.0.0.1'),
  'databases in memory, and read-only': () => {
    const memory = new DatabaseSync(':memory:');
    memory.exec("CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('attach it, and vacuum into it')");
    const kept = new DatabaseSync('kept.db', { readOnly: true });
    strictEqual(kept.prepare('SELECT text FROM notes').get()?.text, 'as it was');
  },
  'fetching what is no address': async () => strictEqual(await (await fetch('data:,inline')).text(), 'inline'),
  'removing a temporary file': () => rm(join(tmpdir(), 'not-there'), { force: true }),
};
