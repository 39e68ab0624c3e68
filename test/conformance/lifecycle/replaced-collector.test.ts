import { connect } from 'node:net';
import { join } from 'node:path';
import { startCollector } from '@reenact/collector';
import { afterEach, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const testbed = new Testbed();
afterEach(() => testbed.dispose());

const BODY = '{"resourceSpans":[]}';

it('waits for one on the same directory that still answers its last request, and not for one that goes on', async () => {
  const dataDirectory = join(await testbed.directory(), 'data');
  const config = { dataDirectory, httpPort: 0, grpcPort: 0, limits: { stopGraceMs: 60_000 } };
  const old = await startCollector(config);
  await expect(startCollector(config)).rejects.toMatchObject({ message: expect.stringContaining('Another process') });
  const socket = connect(Number(new URL(old.httpUrl).port), '127.0.0.1');
  const head = `POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
  const asked = new Promise((resolve) => socket.once('data', resolve));
  socket.write(`${head}Expect: 100-continue\r\n\r\n`);
  expect(String(await asked)).toContain('100 Continue');
  const answered = new Promise((resolve) => socket.once('data', resolve));
  const stopped = old.stop();
  let tellWaits = (_: string) => undefined as void;
  const waits = new Promise<string>((resolve) => {
    tellWaits = (line) => (line.includes('reenact collect, which stops') ? resolve(line) : undefined);
  });
  const next = startCollector(config, { log: (line) => tellWaits(line) });
  expect(await Promise.race([next.then(() => 'started'), waits])).toContain('store still opens');
  socket.write(BODY);
  expect(String(await answered)).toContain('200 OK');
  await stopped;
  await (await next).stop();
  socket.destroy();
});
