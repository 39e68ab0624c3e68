import { tool } from 'reenact';
import { describe, expect, it } from 'vitest';
import { recordAct } from '../../serve/recorded-agent.ts';
import { replayAct } from './replayed-act.ts';

const secret = tool('secret', async (pin: string) => ({ length: pin.length }), { capture: 'digest', effect: 'read' });
const stream = tool(
  'stream',
  async function* (pin: string) {
    yield pin.length;
  },
  { capture: 'digest', effect: 'read' },
);

const nobody = (): void => undefined;

describe('a call whose outcome was not captured', () => {
  const act = async (): Promise<unknown> => (await secret('0000')).length;

  it('is answered by what the plan says of it: it was accepted, and then there was nothing to serve', async () => {
    const recording = await recordAct(nobody, act);
    await expect(replayAct(recording, act)).rejects.toMatchObject({ code: 'cold-case' });
    const edited = await replayAct(recording, act, { edit: ['tool:secret:$={"length":7}'] });
    expect(edited).toMatchObject({ value: 7, edits: [{ id: 'e1' }] });
    expect(edited.divergences.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual([
      ['outcome-changed', 'e1'],
    ]);
  });

  it('fails by what the plan says of it', async () => {
    const recording = await recordAct(nobody, act);
    const failed = await replayAct(recording, act, { fail: ['tool:secret:timeout'] });
    expect(failed.edits).toMatchObject([{ id: 'e1', policy: 'fail' }]);
    expect(failed.divergences.map(({ kind }) => kind)).toEqual(['outcome-changed']);
  });

  it('is refused where it is a stream: what is edited of it are chunks that are not there', async () => {
    const read = async (): Promise<unknown> => (await stream('0000').next()).value;
    const recording = await recordAct(nobody, read);
    await expect(replayAct(recording, read, { edit: ['tool:stream:$=7'] })).rejects.toMatchObject({ code: 'bad-plan' });
  });
});
