import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { FIDELITY_CASES, type FidelityAct, type FidelityCase, isAct, type Peer } from './fidelity-library.ts';
import { crossingLine, recordThenReplay } from './record-then-replay.ts';
import { shown } from './shown.ts';

async function proveAct(peer: Peer, { run, shows, crossings }: FidelityAct): Promise<void> {
  const { recorded, recording, report, contactsInReplay } = await recordThenReplay(peer, run);
  expect({ recorded }).toMatchObject({ recorded: shown(shows) });
  const [root, ...below] = recording.crossings;
  expect(root?.path).toBe('agent:fidelity');
  expect(below.map(crossingLine)).toEqual(crossings);
  expect(below.flatMap(({ lossy }) => lossy)).toEqual([]);
  expect(report.error).toBeUndefined();
  expect(report.value).toStrictEqual(recorded);
  expect(report.divergences).toEqual([]);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  expect(contactsInReplay).toBe(0);
}

describeLibraries('', (library) => {
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

  const acts = (Object.keys(FIDELITY_CASES) as FidelityCase[]).flatMap((name) => {
    const cell = library.cases[name];
    return isAct(cell) ? [[name, cell] as const] : [];
  });
  it.each(acts)('%s: recorded, then replayed offline to the same values and classes', async (_case, act) => {
    await proveAct(peer, act);
  });
});
