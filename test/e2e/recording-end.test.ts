import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let server: Server;
let requestCount = 0;
let url: string;
let stage: Stage;

beforeAll(async () => {
  server = createServer((request, response) => {
    requestCount += 1;
    response.write('first ');
    if (request.url !== '/endless') response.end('last');
    else setTimeout(() => response.write('second '), 300);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

/** Records the poller until it is killed, and hands over what it left on the disk. */
async function recordKilled(environment: NodeJS.ProcessEnv): Promise<string> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const { exitCode } = await stage.node(['--import', 'reenact/register', 'poller.ts'], environment);
  expect(exitCode).not.toBe(0);
  await stage.reenact(['spool', 'deliver']);
  const run = (await listRuns(stage)).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new Error('The killed process left no run.');
  return run.rootSpanId;
}

/** Records until it is killed, replays, and gives what the replay printed and noted. */
async function replayKilled(environment: NodeJS.ProcessEnv, path = '/'): Promise<{ printed: string[]; notes: string }> {
  const given: NodeJS.ProcessEnv = { ...environment, POLLED_URL: `${url}${path}` };
  const spanId = await recordKilled(given);
  const before = requestCount;
  const { DIES: _, ...again } = given;
  const { report, result } = await replayAsJson(stage, spanId, 'poller.ts', { environment: again });
  expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
  expect(requestCount).toBe(before);
  const printed = result.stderr.split('\n').filter((line) => /^p(oll|iece of) /.test(line));
  return { printed, notes: report.notes.join('\n') };
}

// Each case starts a handful of processes.
const caseMs = 120_000;

describe('a program without an end of its own that was killed', () => {
  it.each([
    ['between', 'timer', 'poll 3: 200', 'went on to call'],
    ['between', 'waiting', 'poll 3: 200', 'went on to call'],
    ['inside', 'timer', 'poll 2: 200', 'went on to call'],
    // With nothing else to do, Node.js ends by itself where a call is never answered.
    ['inside', 'waiting', 'poll 2: 200', 'had not ended'],
  ])(
    '%s calls, polling by %s, is reproduced up to there, and its replay ends',
    async (DIES, POLLS, latest, note) => {
      const { printed, notes } = await replayKilled({ DIES, POLLS });
      expect(printed.filter((line) => line.startsWith('poll')).at(-1)).toBe(latest);
      expect(notes).toContain(note);
    },
    caseMs,
  );

  it(
    'has the answers again that it was given and did not read',
    async () => {
      const { printed } = await replayKilled({ DIES: 'between', POLLS: 'waiting', LEAVES: '1' });
      // The latest came in the moment in which it died.
      expect(printed.slice(0, 2)).toEqual(['poll 1: 200', 'poll 2: 200']);
    },
    caseMs,
  );

  it(
    'has again what it had read of a stream',
    async () => {
      const { printed } = await replayKilled({ DIES: 'reads', POLLS: 'waiting' }, '/endless');
      expect(printed).toEqual(['poll 1: 200', 'piece of 1: first ', 'piece of 1: second ']);
    },
    caseMs,
  );
});

it(
  'is when nothing goes on: what a program begins when it has run out of work is a part of its run',
  async () => {
    const environment = { ASKED_URL: url };
    const { run, recorded } = await recordRun(stage, 'last-words.ts', environment);
    expect(recorded.stdout.split('\n')).toHaveLength(4);
    const before = requestCount;
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'last-words.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    // Paths and answers hold what was drawn; the report stands where the program printed.
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect([run.replayability.verdict, requestCount]).toEqual(['full', before]);
  },
  caseMs,
);
