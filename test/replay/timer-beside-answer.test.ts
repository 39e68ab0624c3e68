import { get } from 'node:http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';
import { startWatchedServer, type WatchedServer } from './watched-server.ts';

let server: WatchedServer;

beforeAll(async () => {
  server = await startWatchedServer((_, response) => void response.write('begun'));
});

afterAll(() => server.stop());

describe('a deadline that ends an answer of node:http', () => {
  it('does not overtake what had come before it, where nothing else has happened in the run', async () => {
    const heard: string[][] = [];
    const deadline = agent(
      'deadline',
      () =>
        new Promise<void>((resolve) => {
          const told: string[] = [];
          heard.push(told);
          const request = get(server.url, (response) => {
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
