import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

let server: Server;
let url: string;
let instrumentation: HttpInstrumentation;

beforeAll(async () => {
  server = createServer((_, response) => void response.write('begun'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
});

afterAll(async () => {
  instrumentation.disable();
  context.disable();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a deadline that ends an answer of node:http', () => {
  it('does not overtake what had come before it, where nothing else has happened in the run', async () => {
    const heard: string[][] = [];
    const deadline = agent(
      'deadline',
      () =>
        new Promise<void>((resolve) => {
          const told: string[] = [];
          heard.push(told);
          const request = get(url, (response) => {
            told.push(`status ${response.statusCode}`);
            response.on('data', (chunk: Buffer) => told.push(chunk.toString()));
            response.on('error', () => resolve());
          });
          request.on('error', () => resolve());
          setTimeout(() => request.destroy(new Error('too late')), 500);
        }),
    );
    const recording = await recordRun(deadline);
    const report = await replay({ recording, run: deadline });
    const [recorded, replayed] = heard;
    expect(replayed).toEqual(recorded);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });
});
