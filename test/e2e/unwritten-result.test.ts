import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'killed-with-result.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

async function recordKilled(environment: NodeJS.ProcessEnv): Promise<string> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  await stage.node(['--import', 'reenact/register', script], { ...environment, DIES: '1' });
  await stage.reenact(['spool', 'deliver']);
  const run = (await listRuns(stage)).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new Error('The killed process left no run.');
  return run.rootSpanId;
}

it.each<[string, NodeJS.ProcessEnv, string, string[]]>([
  ['asynchronous', { WAITS: '1' }, 'agent:killed/tool:fetched', []],
  ['synchronous', {}, 'agent:killed/tool:made', ['never-recorded']],
])(
  'a large result that its host had before it was on the disk is what the replay names as lacking: %s',
  async (_, environment, path, kinds) => {
    const id = await recordKilled(environment);
    const shown = await stage.reenact(['show', id]);
    expect(shown.stdout).toContain('(had ended: its result of 200,002 bytes was not on the disk yet');
    const { report } = await replayAsJson(stage, id, script, { environment });
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    expect(report.divergences.map(({ kind }) => kind)).toEqual(kinds);
    expect(report.notes.join('\n')).toContain(`The recording lacks what ${path} came to: its result of 200,002 bytes`);
    const edit = ['--edit', `${path.slice('agent:killed/'.length)}:$="short"`];
    const edited = await replayAsJson(stage, id, script, { flags: edit, environment });
    expect(edited.report.edits).toHaveLength(1);
    expect(edited.report.notes.join('\n')).not.toContain('The recording lacks');
  },
  120_000,
);
