import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let server: Server;
let requests = 0;
let stage: Stage;
let environment: { ANSWER_URL: string };
let place: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.end('Nothing.'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  environment = { ANSWER_URL: `http://${place}/` };
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

const script = 'native-add-on.ts';

describe.skipIf(process.platform !== 'linux')('a client whose native add-on makes its requests, on Linux', () => {
  it('ends a replay as one that did something for real, unless its host is allowed', async () => {
    const { run, recorded } = await recordRun(stage, script, environment);
    expect(recorded.stderr).toContain('ended with 20');
    const replayed = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect([replayed.result.exitCode, replayed.report.verdict]).toEqual([3, 'forbidden']);
    expect(replayed.report.divergences[0]).toMatchObject({
      kind: 'forbidden',
      happened: true,
      message: expect.stringContaining(`A native add-on connected to ${place} for real`),
      next: expect.stringContaining(`--allow-host ${place}`),
    });
    expect(replayed.result.stderr).not.toContain('ended with');
    const allowed = await replayAsJson(stage, run.rootSpanId, script, { environment, flags: ['--allow-host', place] });
    expect([allowed.result.exitCode, allowed.report.verdict]).toEqual([0, 'reproduced']);
  });

  it('is never asked where a tool is around it', async () => {
    const wrapped = { ...environment, WRAPPED: '1' };
    const { run } = await recordRun(stage, script, wrapped);
    const before = requests;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script, { environment: wrapped });
    expect([result.exitCode, report.verdict, requests]).toEqual([0, 'reproduced', before]);
    expect(report.notes.join()).toContain(
      'the connections it opens and the files it keeps open for writing are seen, and nothing else',
    );
  });

  it('is named by the doctor', async () => {
    const { stdout, exitCode } = await stage.reenact(['doctor', '--', 'node', script], environment);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^! A native add-on opened a connection by itself\. {1,}native-connection$/m);
    expect(stdout).toContain(`${place}, one of `);
  });
});
