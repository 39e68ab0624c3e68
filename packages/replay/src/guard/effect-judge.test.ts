import { buildRecording } from '@reenact/recordings/testing';
import { expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { AllowList } from './allow-list.ts';
import { EffectJudge } from './effect-judge.ts';

it('refuses what it fails to judge, and says so', () => {
  const under = playerOf(buildRecording({ label: 'agent:a' }));
  const judge = new EffectJudge();
  const allowed = new AllowList({ allowHosts: [], allowPaths: ['/'], allowPrograms: [] });
  const stop = judge.add({ player: under.player, ownsProcess: true, allowed });
  const failing = () => {
    throw new TypeError('a value that cannot be read');
  };
  expect(judge.refusalOf(failing)).toMatchObject({ code: 'replay-refused' });
  expect(under.report()).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
  expect(under.report().divergences[0]?.message).toContain('a value that cannot be read');
  stop();
  expect(judge.refusalOf(failing)).toBeUndefined();
});
