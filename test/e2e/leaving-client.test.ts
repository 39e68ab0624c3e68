import { get, request } from 'node:http';
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

/** Reads the third part of an answer, and leaves. */
function leave(port: number, version: string): Promise<void> {
  return new Promise((resolve) => {
    let parts = 0;
    const seen = (go: () => void) => (): void => {
      parts += 1;
      if (parts < 3) return;
      go();
      resolve();
    };
    if (version === '2') {
      const session = connect(`http://127.0.0.1:${port}`);
      session.request({ ':path': '/' }).on(
        'data',
        seen(() => session.destroy()),
      );
      return;
    }
    const request = get({ port, host: '127.0.0.1' }, (response) => {
      response
        .on('error', () => undefined)
        .on(
          'data',
          seen(() => request.destroy()),
        );
    });
  });
}

/** Sends two lines of an upload, and leaves while the service waits for more. */
async function leaveUpload(port: number, version: string, areSeen: () => Promise<void>): Promise<void> {
  if (version === '2') {
    const session = connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
    const stream = session.request({ ':method': 'POST', ':path': '/' }).on('error', () => undefined);
    stream.write('one\ntwo\n');
    await areSeen();
    session.destroy();
    return;
  }
  const upload = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': '1000' } });
  upload.on('error', () => undefined).write('one\ntwo\n');
  await areSeen();
  upload.destroy();
}

describe('a service that is sent an upload', () => {
  it.each(['1.1', '2'])('is left in the middle of it in a replay, too, over HTTP/%s', async (version) => {
    const environment = { HTTP: version };
    const script = 'upload-service.ts';
    const service = await stage.start(['--import', 'reenact/register', script], environment);
    const { port } = JSON.parse(service.firstLine) as { port: number };
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    const recorded = () => listRuns(stage).then((runs) => runs.find(({ traceId }) => !known.has(traceId)));
    const hasCrossings = async (count: number): Promise<void> => {
      await vi.waitUntil(async () => ((await recorded())?.crossingCount ?? 0) >= count, {
        timeout: 10_000,
        interval: 100,
      });
    };
    // The lines are looked at before their run is over.
    await leaveUpload(port, version, () => hasCrossings(2));
    await hasCrossings(version === '2' ? 5 : 4);
    await service.stop();
    const run = await recorded();
    const shown = await stage.reenact(['show', run?.rootSpanId ?? '', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ replayability: { verdict: 'full' } });
    expect(shown.stdout).toContain('left after 2');
    const { report } = await replayAsJson(stage, run?.rootSpanId ?? '', script, { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    // The platform tells a listener of HTTP/2 of an end, too, once the client has left.
    expect(report.counts).toMatchObject({ stubbed: version === '2' ? 4 : 3, rerun: 1 });
  });
});

describe('a service that streams to a client that leaves', () => {
  it.each(['1.1', '2'])('is left at the same place in a replay, over HTTP/%s', async (version) => {
    const environment = { HTTP: version };
    const service = await stage.start(['--import', 'reenact/register', 'streaming-service.ts'], environment);
    const { port } = JSON.parse(service.firstLine) as { port: number };
    const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    await leave(port, version);
    // The handler notices, and saves what it had said.
    const recorded = () => listRuns(stage).then((runs) => runs.find(({ traceId }) => !known.has(traceId)));
    await expect.poll(async () => (await recorded())?.crossingCount ?? 0, { timeout: 10_000 }).toBeGreaterThan(4);
    await service.stop();
    const run = await recorded();
    expect(run?.name).toBe('agent:GET /');
    const { report } = await replayAsJson(stage, run?.rootSpanId ?? '', 'streaming-service.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.counts.stubbed).toBe((run?.crossingCount ?? 0) - 1);
    expect(JSON.stringify(report)).not.toContain('was not answered');
  });
});
