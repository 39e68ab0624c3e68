import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningCommand } from '../scenarios/run-command.ts';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'unread-service.ts';
const largeBytes = 4 * 1024 * 1024;
const smallBody = '{"error":"no shares"}';
const clients = ['fetch', 'undici', 'http'];
let upstream: Server;
let upstreamRequests = 0;
/** Answered once the run that asks has ended. */
const held: ServerResponse[] = [];
let stage: Stage;
let service: RunningCommand;
let origin: string;

beforeAll(async () => {
  upstream = createServer(({ url }, response) => {
    upstreamRequests += 1;
    response.on('error', () => undefined);
    if (url === '/held') return void held.push(response);
    if (url === '/small') return void response.writeHead(500).end(smallBody);
    response.writeHead(500);
    // Never ended.
    if (url === '/endless') return void response.write('{"error":');
    response.end(Buffer.alloc(largeBytes, 'x'));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stage = await setSmallStage({ UPSTREAM_URL: upstreamUrl });
  service = await stage.start(['--import', 'reenact/register', script]);
  origin = `http://127.0.0.1:${(JSON.parse(service.firstLine) as { port: number }).port}`;
});

afterAll(async () => {
  await service.stop();
  await stage.stop();
  upstream.closeAllConnections();
  upstream.close();
});

async function ask(path: string): Promise<string> {
  return (await fetch(`${origin}${path}`)).text();
}

/** The run of a request, while its service goes on, as soon as it is judged so. */
function runAt(path: string, verdict: RunSummary['replayability']['verdict']): Promise<RunSummary> {
  return runsOnceThere(stage, (runs) =>
    runs.find(({ name, replayability }) => name === `agent:GET ${path}` && replayability.verdict === verdict),
  );
}

async function printed({ rootSpanId }: RunSummary): Promise<string> {
  return (await stage.reenact(['show', rootSpanId])).stdout;
}

interface ShownCrossing {
  readonly kind: string;
  readonly durationMs: number;
  readonly outcome: { readonly type: string };
}

async function shown({ rootSpanId }: RunSummary): Promise<readonly ShownCrossing[]> {
  const { stdout } = await stage.reenact(['show', rootSpanId, '--json']);
  return (JSON.parse(stdout) as { crossings: ShownCrossing[] }).crossings;
}

describe('a run that ends without a word of the body of an answer', () => {
  it.each(clients.flatMap((client) => ['small', 'large', 'endless'].map((body) => [client, body])))(
    'is whole at once, and fails in the same way again: %s, %s',
    async (client, body) => {
      const path = `/${client}/${body}`;
      expect(await ask(path)).toBe('Error: answered 500');
      const run = await runAt(path, 'full');
      const before = upstreamRequests;
      const { report } = await replayAsJson(stage, run.rootSpanId, script);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(upstreamRequests).toBe(before);
    },
  );

  it.each(clients)('is whole where some of it was read: %s', async (client) => {
    const path = `/${client}/large/begun`;
    expect(await ask(path)).toBe('Error: answered 500');
    const { report } = await replayAsJson(stage, (await runAt(path, 'full')).rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });

  it.each(clients)('tells a version of its program that reads on: %s', async (client) => {
    const path = `/${client}/endless`;
    const { report } = await replayAsJson(stage, (await runAt(path, 'full')).rootSpanId, script, {
      environment: { READ: 'on' },
    });
    expect(report.exitCode).toBe(1);
    expect(report.divergences.map(({ kind }) => kind)).toContain('exhausted');
    expect(JSON.stringify(report.divergences)).toMatch(
      /reads more of the answer \(status 500\) than when it was recorded/,
    );
  });
});

describe('an answer that comes when its run has ended', () => {
  it.each(clients)('is told of where nobody reads it: %s', async (client) => {
    const path = `/${client}/held/left`;
    expect(await ask(path)).toBe('Error: did not wait');
    const { replayability } = await runAt(path, 'partial');
    expect(replayability.missing).toMatchObject([{ cause: 'missing-call', where: `agent:GET ${path}/agent:reader` }]);
    await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 10_000 });
    held.pop()?.writeHead(500).write(smallBody);
    const { report } = await replayAsJson(stage, (await runAt(path, 'full')).rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });
});

describe('a service that hands a body on', () => {
  it('is recorded with all of it', async () => {
    const path = '/piped/large';
    expect(await ask(path)).toHaveLength(largeBytes);
    const { report } = await replayAsJson(stage, (await runAt(path, 'full')).rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });
});

describe('a body that is read once its run has ended', () => {
  it('is recorded whole then, in place of what was known before', async () => {
    const path = '/fetch/small/later';
    expect(await ask(path)).toBe('Error: answered 500');
    const run = await runAt(path, 'full');
    expect(await ask('/release')).toBe(String(smallBody.length));
    const isRead = async (): Promise<void> => expect(await printed(run)).not.toContain('not read to its end');
    await vi.waitFor(isRead, { timeout: 60_000, interval: 100 });
    const { report } = await replayAsJson(stage, run.rootSpanId, script, { environment: { READ: 'on' } });
    // It reads the body, which is there, and so goes another way.
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['output-changed', 'outcome-changed']);
    expect(JSON.stringify(report)).toContain(`"read":${smallBody.length}`.replaceAll('"', '\\"'));
  });
});

describe('an answer that somebody reads on once its run has ended, and that goes on', () => {
  it('takes back that its run is whole, for another run may be told by it', async () => {
    const paths = clients.map((client) => `/${client}/endless/on`);
    for (const path of paths) {
      await ask(path);
      await runAt(path, 'full');
    }
    await ask('/read-on');
    for (const path of paths) {
      const { replayability } = await runAt(path, 'partial');
      expect(replayability.missing).toMatchObject([{ cause: 'read-on' }]);
    }
  });
});

describe('what is shown of an answer that outlives its run', () => {
  it('ends with it, and says so', async () => {
    await ask('/fetch/endless/shown');
    const run = await runAt('/fetch/endless/shown', 'full');
    const [entry, , call] = await shown(run);
    expect(call).toMatchObject({ kind: 'http', outcome: { type: 'returned' } });
    expect(call?.durationMs).toBeLessThanOrEqual(entry?.durationMs ?? 0);
    expect(await printed(run)).toContain('HTTP 500, 0 chunks, not read to its end when the run ended');
  });
});
