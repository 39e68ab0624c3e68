import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TableStage } from './table-stage.ts';

const news = 'agent:clerk/tool:news';
const live = ['--live', news];

let stage: TableStage;

beforeAll(async () => {
  stage = await TableStage.set('clerk.ts');
});

afterAll(() => stage.stage.stop());

describe('a call that the changed code makes anew', () => {
  it('runs where the plan names its path: told as the one cause, and all that follows is stale', async () => {
    const { report, result } = await stage.replay({ change: 'new call', flags: live });
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, counts: { live: 1, refused: 0, unconsumed: 0 } });
    expect(report.divergences).toMatchObject([
      { kind: 'never-recorded', path: news, next: expect.stringContaining('it ran for real') },
    ]);
    expect(report.divergences[0]?.stale).toContain('agent:clerk/tool:send');
    expect(`${result.stdout}${result.stderr}`.match(/news ran for real/g)).toHaveLength(1);
  });

  it('is refused where nothing names it, also where it is the first of the run', async () => {
    const { report } = await stage.replay({ change: 'new first call' });
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2, counts: { live: 0, refused: 1 } });
    const { stdout } = await stage.run({ change: 'new first call' });
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('Nothing was compared below the run itself');
    expect(text).toContain(`Next: Take the call out, let its code run with --live ${news}`);
    expect(text).not.toContain('Check that the command starts the recorded agent');
  });

  it('is guarded where it is an agent, whose code may run: nothing that it does of itself happens, and its calls are refused by name', async () => {
    const file = join(stage.stage.folder, 'by-the-scribe');
    const scribe = 'agent:clerk/agent:scribe';
    // What is written into the folder for temporary files is scratch.
    const TMPDIR = join(stage.stage.folder, 'scratch');
    mkdirSync(TMPDIR);
    const environment = { SCRIBE_FILE: file, TMPDIR };
    const refused = await stage.replay({ change: 'new agent', environment });
    expect(refused.report.divergences[0]?.next).toContain(`let its code run with --live ${scribe} (guarded`);
    const { report, result } = await stage.replay({ change: 'new agent', flags: ['--live', scribe], environment });
    expect(report).toMatchObject({ verdict: 'forbidden', exitCode: 3, counts: { live: 0, rerun: 3, refused: 1 } });
    const told = report.divergences.map(({ kind, path, message }) => [kind, path, message]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['never-recorded', scribe, expect.anything()],
        ['forbidden', scribe, expect.stringContaining('writeFileSync')],
        ['forbidden', scribe, expect.stringContaining('execFileSync')],
        ['never-recorded', `${scribe}/tool:news`, expect.anything()],
      ]),
    );
    expect(existsSync(file)).toBe(false);
    expect(`${result.stdout}${result.stderr}`).not.toContain('news ran for real');
  });

  it('is not taken for a reproduced run where it is named and never made', async () => {
    const { report } = await stage.replay({ flags: ['--live', 'agent:clerk/tool:loook'] });
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, counts: { live: 0 } });
    expect(report.notes.join('\n')).toContain('Did you mean "agent:clerk/tool:look"?');
  });
});
