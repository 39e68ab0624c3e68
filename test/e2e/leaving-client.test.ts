import { get } from 'node:http';
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
