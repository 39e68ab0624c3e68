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

  it('is not taken for a reproduced run where it is named and never made', async () => {
    const { report } = await stage.replay({ flags: ['--live', 'agent:clerk/tool:loook'] });
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, counts: { live: 0 } });
    expect(report.notes.join('\n')).toContain('Did you mean "agent:clerk/tool:look"?');
  });
});
