import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

/** Five processes each: recorded, and replayed. */
const processesMs = 240_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

/** Records, and gives what was printed. */
async function record(script: readonly string[]): Promise<string> {
  const environment = { NODE_OPTIONS: '--import=reenact/register' };
  const { stdout, stderr } = await stage.node(['--import', 'reenact/register', ...script], environment);
  const spool = join(stage.folder, 'spool');
  const left = existsSync(spool) ? readdirSync(spool).map((name) => join(spool, name)) : [];
  // How long a process that ends at once waits for the collector is bounded: on a machine that is too busy it says where everything is.
  expect(left.filter((folder) => !stderr.includes(folder))).toEqual([]);
  if (left.length > 0) await stage.reenact(['spool', 'deliver']);
  return stdout.trim();
}

it.each([
  ['runs out of work, and is replayed', 'return', {}],
  ['calls process.exit, and is replayed where the signals come late', 'exit', { GOES_ON: '1' }],
])(
  'what processes had recorded that a signal ended is there once the one that started them has ended, which %s',
  async (_, how, environment) => {
    const script = ['killed-children.ts', 'main', how];
    const before = (await listRuns(stage)).length;
    const printed = await record(script);
    expect(JSON.parse(printed)).toMatchObject({
      first: 'start is taken, ended with null by SIGKILL',
      second: 'start is taken, ended with null by SIGTERM',
      third: 'start is taken, ended with null by SIGKILL',
      fourth: 'start is taken, ended with null',
    });
    const [run, ...others] = await listRuns(stage);
    expect([run?.name, run?.replayability, others.length]).toEqual([
      'agent:ending',
      {
        verdict: 'partial',
        missing: [expect.objectContaining({ cause: 'pending', where: 'agent:ending/agent:process#2/tool:hang' })],
      },
      before,
    ]);
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', script, { environment });
    expect(report).toMatchObject({ exitCode: 0, divergences: [], outcome: { equal: true } });
    expect(result.stderr).toContain(printed);
  },
  processesMs,
);
