import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { FAULTS, fail, visibleFailures } from './faults.ts';
import { type FidelityAct, type FidelityLibrary, isAct, type Peer } from './fidelity-library.ts';
import { FidelityHost } from './record-then-replay.ts';

/** Every place of ours fails in a run of its own. */
const SABOTAGE_TIMEOUT_MS = 240_000;

function actsOf({ cases }: FidelityLibrary): FidelityAct[] {
  return [cases.call, cases.stream, cases['mid-stream error']].filter(isAct);
}

async function runAll(acts: readonly FidelityAct[], peer: Peer): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const act of acts) results.push(await act.run(peer));
  return results;
}

describeLibraries(', with ours broken', (library) => {
  const acts = actsOf(library);
  const reported: string[] = [];
  let peer: Peer;
  let host: FidelityHost;
  let plain: unknown[];
  let undo: () => void;
  beforeEach(async () => {
    peer = await library.start();
    plain = await runAll(acts, peer);
    diag.setLogger(
      {
        error: (message) => reported.push(message),
        warn: fail,
        info: fail,
        debug: () => undefined,
        verbose: () => undefined,
      },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    host = new FidelityHost();
    undo = library.patch();
  });
  afterEach(async () => {
    undo();
    await host.stop();
    await peer.stop();
    diag.disable();
    expect(new Set(reported).size).toBe(reported.length);
  });

  it.each(FAULTS)('because %s: the host sees the same', async (_fault, breakIt) => {
    const mend = breakIt();
    try {
      expect(await runAll(acts, peer)).toStrictEqual(plain);
    } finally {
      mend();
    }
  });

  it(
    'at every place that reads what the host gave, one after the other: the host sees the same',
    async () => {
      expect(await visibleFailures(() => runAll(acts, peer), plain)).toEqual([]);
    },
    SABOTAGE_TIMEOUT_MS,
  );
});
