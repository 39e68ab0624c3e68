import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

let stage: Stage;
let peer: Server;
let asked = 0;

beforeAll(async () => {
  peer = createServer((_, response) => {
    asked += 1;
    response.end('fine');
  });
  await new Promise<void>((resolve) => {
    peer.listen(0, '127.0.0.1', resolve);
  });
  stage = await setSmallStage({ PEER_URL: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/` });
});

afterAll(async () => {
  await stage.stop();
  peer.close();
});

interface Recorded {
  readonly spanId: string;
  readonly verdict: string;
  readonly missing: readonly string[];
  readonly warnings: number;
}

async function record(sends: string): Promise<Recorded> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const hook = sends === 'taken' ? [] : ['--import', 'reenact/register'];
  const { exitCode, stdout, stderr } = await stage.node([...hook, 'passed-by.ts'], { SENDS: sends });
  expect([exitCode, stdout]).toEqual([0, 'fine fine\n']);
  const run = (await listRuns(stage)).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new TypeError('Nothing was recorded.');
  const { rootSpanId, replayability } = run;
  return {
    spanId: rootSpanId,
    verdict: replayability.verdict,
    missing: replayability.missing.map(({ cause }) => cause),
    warnings: stderr.split('[REENACT_EARLY_REQUEST]').length - 1,
  };
}

describe('requests that pass by what is patched', () => {
  it.each(['made', 'taken'])(
    '%s: have the run say what it lacks, are told of once, and never go out in a replay',
    async (sends) => {
      const { spanId, verdict, missing, warnings } = await record(sends);
      expect({ verdict, missing, warnings }).toEqual({
        verdict: 'partial',
        missing: ['unseen-connection'],
        warnings: 1,
      });
      const before = asked;
      const { exitCode } = await stage.reenact(['replay', spanId, '--', 'node', 'passed-by.ts'], { SENDS: sends });
      expect([exitCode > 0, asked - before]).toEqual([true, 0]);
    },
  );

  it('are none of those that a patched function makes', async () => {
    const { verdict, missing, warnings } = await record('patched');
    expect({ verdict, missing, warnings }).toEqual({ verdict: 'full', missing: [], warnings: 0 });
  });
});
