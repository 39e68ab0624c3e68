import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterEach, describe, expect, it } from 'vitest';
import { fullRun } from '../testdata/full-run.ts';
import { namedRun } from './named-runs.ts';

let server: Server | undefined;
afterEach(() => server?.close());

function runOf(number: number): RunSummary {
  return fullRun({
    traceId: `${number}`.padStart(32, '0'),
    rootSpanId: `${number}`.padStart(16, '0'),
    name: 'agent:answerer',
  });
}

/** A collector with the runs 3, 2 and 1, the newest first, of which this one always waits for its summary. Asked for a complete page, it ends before that. */
async function collectorWaitingFor(waiting: number): Promise<string> {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://collector');
    const limit = Number(searchParams.get('limit'));
    const isComplete = searchParams.get('complete') === 'true';
    const numbers = [3, 2, 1].filter((number) => (isComplete ? number > waiting : number !== waiting));
    const runs = numbers.slice(0, limit).map(runOf);
    const next = isComplete || runs.length < numbers.length ? { nextCursor: 'on' } : {};
    response.end(JSON.stringify({ runs, ...next, unsummarisedRuns: 1 }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const silent = {
  data: () => undefined,
  out: () => undefined,
  err: (_: string): void => undefined,
  colour: false,
  columns: 120,
  wraps: false,
};

async function named(word: string, waiting: number): Promise<readonly [run: string, told: string]> {
  const told: string[] = [];
  const terminal = { ...silent, err: (text: string) => void told.push(text) };
  const run = await namedRun(word, await collectorWaitingFor(waiting), terminal);
  return [run.replace(/^0+/, ''), told.join('\n')];
}

describe('the latest run while the collector summarises', () => {
  it('is not waited for where only older runs wait', async () => {
    const [run, told] = await named('latest~1', 1);
    expect(run).toBe('2');
    expect(told).not.toMatch(/summaris/);
  });

  it('is waited for where one as new waits, and what was found instead is said to be uncertain', async () => {
    const [run, told] = await named('latest~1', 2);
    expect(run).toBe('1');
    expect(told).toMatch(/waiting for it[\s\S]*1 run is still being summarised/);
  });
});

describe('the latest run of a collector without runs', () => {
  it('is missing, and the error says how one is recorded', async () => {
    server = createServer((_, response) => response.end(JSON.stringify({ runs: [] })));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(namedRun('latest', url, silent)).rejects.toMatchObject({
      code: 'not-found',
      next: expect.stringContaining('node --import reenact/register app.mjs'),
    });
  });
});
