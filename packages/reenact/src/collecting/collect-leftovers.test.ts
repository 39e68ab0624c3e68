import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { gate, RecordingProcessor, tool } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { collectLeftovers } from './collect-leftovers.ts';

const NO_PROCESSES = [4_194_301, 4_194_302, 4_194_303];
const read = tool('read', async () => 'set', { effect: 'read' });

let directory: string;
const held: ServerResponse[] = [];
let onRequest: () => void = () => undefined;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    held.push(response);
    onRequest();
  });
});

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-leftovers-'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Leaves one call in the spool of each of some processes that are gone. */
async function leaveCalls(url: string): Promise<void> {
  const destination = `${url}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url: 'http://127.0.0.1:1/v1/traces' });
  const own = mkdtempSync(join(tmpdir(), 'reenact-leftovers-'));
  const processor = new RecordingProcessor(exporter, { spool: { directory: own, destination }, retryDelayMs: 600_000 });
  gate.configure({ recorder: processor });
  await read();
  processor.closeSpool();
  const [name = ''] = readdirSync(own);
  const [destinationKey, scope, , ...rest] = name.split('.');
  for (const id of NO_PROCESSES) {
    cpSync(join(own, name), join(directory, [destinationKey, scope, id, ...rest].join('.')), { recursive: true });
  }
  gate.configure({ recorder: undefined });
  rmSync(own, { recursive: true, force: true });
}

it('ends behind the request in work when it is told to, and leaves the rest where it is', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await leaveCalls(url);
  const stopping = new AbortController();
  const asked = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const collected = collectLeftovers(url, { REENACT_SPOOL_DIR: directory }, stopping.signal);
  await asked;
  stopping.abort();
  onRequest = () => held.at(-1)?.writeHead(200).end();
  onRequest();
  expect(await collected).toMatchObject({ delivered: 1, isDone: false });
  expect(held).toHaveLength(1);
  expect(readdirSync(directory)).toHaveLength(NO_PROCESSES.length - 1);
});
