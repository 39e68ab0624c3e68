import { tool } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { type FidelityAct, isAct, type Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

/**
 * Does an act beside two tools: one that ends at once, and one that ends when the act has. Gives in which order the agent hears of the
 * three. The tools run when it is recorded only.
 */
async function besideTools(peer: Peer, { run }: FidelityAct): Promise<string[]> {
  const heard: string[] = [];
  const act = Promise.withResolvers<void>();
  const soon = tool('soon', async () => {});
  const late = tool('late', () => act.promise);
  const hear = (name: string): void => void heard.push(name);
  await Promise.all([
    late().then(() => hear('late')),
    run(peer).then(() => {
      hear('library');
      setImmediate(act.resolve);
    }),
    soon().then(() => hear('soon')),
  ]);
  return heard;
}

describeLibraries(', beside tools', (library) => {
  let peer: Peer;
  let undo: () => void;
  beforeEach(async () => {
    peer = await library.start();
    undo = library.patch();
  });
  afterEach(async () => {
    undo();
    await peer.stop();
  });

  const acts = (['call', 'stream', '429 then success'] as const).flatMap((name) => {
    const cell = library.cases[name];
    return isAct(cell) ? [[name, cell] as const] : [];
  });
  it.each(acts)('%s: is heard of before what was recorded to end after it', async (_case, act) => {
    const { recorded, report } = await recordThenReplay(peer, () => besideTools(peer, act));
    expect((recorded as string[]).at(-1)).toBe('late');
    expect(report.value).toEqual(recorded);
    expect(report.divergences).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });
});
