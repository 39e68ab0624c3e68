import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { createCollectorClient } from '@reenact/collector-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const pathOf = (name: string) => new URL(`../receiver/certificates/${name}.pem`, import.meta.url).pathname;
const testbed = new Testbed();
let plain: { readonly httpUrl: string; readonly grpcUrl: string };
let encrypted: { readonly httpUrl: string };
let silent: Server;

beforeAll(async () => {
  plain = await testbed.start();
  encrypted = await testbed.start({ tls: { certificateFile: pathOf('server'), keyFile: pathOf('server-key') } });
  silent = createServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  silent.close();
  await testbed.dispose();
});

/** What a command is told that asks at an address. */
async function askAt(url: string, ca?: string): Promise<unknown> {
  const client = createCollectorClient({ url, ...(ca === undefined ? {} : { tls: { ca } }) });
  return client.listRuns().then(
    () => 'answered',
    (thrown: unknown) => thrown,
  );
}

describe('a client whose address is nearly right', () => {
  it.each([false, true])('is told that what is there does not encrypt (with an authority: %s)', async (hasCa) => {
    const ca = hasCa ? await readFile(pathOf('ca'), 'utf8') : undefined;
    expect(await askAt(plain.httpUrl.replace('http:', 'https:'), ca)).toMatchObject({
      code: 'collector-unreachable',
      message: expect.stringContaining('does not speak TLS') as string,
      next: expect.stringContaining('http://') as string,
    });
  });

  it.each([
    [
      'a port that encrypts',
      () => encrypted.httpUrl.replace('https:', 'http:'),
      'a port that is encrypted',
      'https://',
    ],
    ['the port of gRPC', () => plain.grpcUrl, 'gRPC', 'httpPort (4318 unless set)'],
  ])('is told what %s says of itself', async (_, url, what, next) => {
    expect(await askAt(url())).toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(what) as string,
      next: expect.stringContaining(next) as string,
    });
  });

  it('is told that the connection was closed by something that hangs up, and what to look at', async () => {
    expect(await askAt(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)).toMatchObject({
      code: 'collector-unreachable',
      message: expect.stringContaining('closed without an answer') as string,
      next: expect.stringMatching(/https:\/\/.*4318.*gRPC/) as string,
    });
  });
});
