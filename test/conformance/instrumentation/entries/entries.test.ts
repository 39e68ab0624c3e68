import { gate } from '@reenact/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAULTS, visibleFailures } from '../faults.ts';
import type { Peer } from '../fidelity-library.ts';
import { startPlainPeer } from '../peers/plain-peer.ts';
import { FidelityHost } from '../record-then-replay.ts';
import { entryLibraries } from './entry-libraries.ts';
import { ENTRY_CASES, type EntryCase, type SeenAnswer } from './entry-library.ts';
import { askAll, recordThenAskAgain } from './entry-runs.ts';
import type { MakeTool } from './entry-work.ts';

/** Every place of ours fails in a run of its own. */
const SABOTAGE_TIMEOUT_MS = 240_000;

const cases = Object.keys(ENTRY_CASES) as EntryCase[];
const echoed = JSON.stringify({ method: 'GET', path: '/echo', body: '' });

/** A part of what clients must have seen, so that the case really happened; texts are joined. */
const shows: Readonly<Record<EntryCase, readonly Partial<SeenAnswer>[]>> = {
  call: [{ body: `only: ${echoed}`, end: 'whole' }],
  'streamed answer': [{ body: '200 two three', end: 'whole' }],
  'client leaves': [{ body: '200', end: 'left' }],
  'mid-stream error': [{ body: '200', end: 'broken off' }],
  '429 then success': [{}, { end: 'whole' }],
  timeout: [{ body: '', end: 'left' }],
  'reverse parallel': ['/first', '/second', '/third'].map((body) => ({ body, end: 'whole' })),
  'nested tools': [{ body: '[200,200]', end: 'whole' }],
};

/** How the runs end that do not break off: those end as their protocol has it. */
const outcomes: Readonly<Partial<Record<EntryCase, string>>> = {
  call: 'returned',
  'streamed answer': 'returned',
  'client leaves': 'aborted',
  '429 then success': 'returned',
  timeout: 'aborted',
  'reverse parallel': 'returned',
  'nested tools': 'returned',
};

/** What fails is the server's side; wrappers of the application have a suite of their own. */
const untouched: MakeTool = (_name, step) => step;

function joined({ body, end }: SeenAnswer): Partial<SeenAnswer> {
  return { body: typeof body === 'string' ? body : body.join(''), end };
}

describe.each(entryLibraries)('a server of $name', (library) => {
  let peer: Peer;
  let host: FidelityHost;
  let undo: () => void;
  beforeEach(async () => {
    peer = await startPlainPeer();
    host = new FidelityHost();
    undo = library.patch();
  });
  afterEach(async () => {
    undo();
    gate.enable();
    await host.stop();
    await peer.stop();
  });

  it.each(cases)('%s: each run is recorded, and asked again with the peer untouched answers the same', async (asks) => {
    const runs = await recordThenAskAgain(library, host, peer, asks);
    expect(runs.map(({ contactsInReplay }) => contactsInReplay)).toEqual(runs.map(() => 0));
    expect(runs.map(({ seen }) => joined(seen))).toMatchObject(shows[asks]);
    if (asks === '429 then success') expect(new Set(runs.map(({ seen }) => seen.status)).size).toBe(2);
    for (const { recording, seen, seenAgain, report } of runs) {
      const [root] = recording.roots;
      expect(root?.path).toBe(library.run);
      expect(root?.outcome).toMatchObject(asks === 'mid-stream error' ? {} : { type: outcomes[asks] });
      expect(recording.crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
      expect(seenAgain).toEqual(seen);
      expect(report.divergences).toEqual([]);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    }
  });
});

describe.each(entryLibraries)('a server of $name, by the one switch or unpatched', (library) => {
  it('answers the same, and nothing is recorded', async () => {
    const peer = await startPlainPeer();
    const members = (): unknown[] =>
      library.patched().map(([holder, key]) => Object.getOwnPropertyDescriptor(holder, key));
    const before = members();
    const plain = await askAll(library, peer, 'call');
    const host = new FidelityHost();
    const undo = library.patch();
    const patched = members();
    try {
      gate.disable();
      expect(await askAll(library, peer, 'call')).toEqual(plain);
      gate.enable();
      undo();
      expect(members()).toEqual(before);
      expect(patched).not.toEqual(before);
      expect(await askAll(library, peer, 'call')).toEqual(plain);
      // The tool is a boundary of the application; without a run around it it is one by itself.
      expect((await host.crossingNames()).filter((name) => !name.includes('ask'))).toEqual([]);
    } finally {
      gate.enable();
      undo();
      await host.stop();
      await peer.stop();
    }
  });
});

describe.each(entryLibraries)('a server of $name, with ours broken', (library) => {
  const asked: readonly EntryCase[] = ['call', 'streamed answer', 'mid-stream error'];
  let peer: Peer;
  let host: FidelityHost;
  let plain: unknown;
  let undo: () => void;
  const all = async (): Promise<unknown> => {
    const seen: unknown[] = [];
    for (const asks of asked) seen.push(await askAll(library, peer, asks, untouched));
    return seen;
  };
  beforeEach(async () => {
    peer = await startPlainPeer();
    plain = await all();
    host = new FidelityHost();
    undo = library.patch();
  });
  afterEach(async () => {
    undo();
    await host.stop();
    await peer.stop();
  });

  it.each(FAULTS)('because %s: its clients see the same', async (_fault, breakIt) => {
    const mend = breakIt();
    try {
      expect(await all()).toStrictEqual(plain);
    } finally {
      mend();
    }
  });

  it(
    'at every place that reads what the host gave, one after the other: its clients see the same',
    async () => {
      expect(await visibleFailures(all, plain)).toEqual([]);
    },
    SABOTAGE_TIMEOUT_MS,
  );
});
