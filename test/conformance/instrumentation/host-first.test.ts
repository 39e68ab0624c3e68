import { DiagLogLevel, diag } from '@opentelemetry/api';
import { type Admission, gate } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { type FidelityAct, type FidelityLibrary, isAct, type Peer } from './fidelity-library.ts';
import { FidelityHost } from './record-then-replay.ts';
import { Sabotage } from './sabotage.ts';

/** Every place of ours fails in a run of its own. */
const SABOTAGE_TIMEOUT_MS = 240_000;

const fail = (): never => {
  throw new RangeError('ours is broken');
};

const faults: readonly (readonly [string, () => () => void])[] = [
  ['the gate throws', () => breakAdmit(fail)],
  ['the recorder throws', () => configured({ recorder: { record: fail } })],
  ['the tracer provider throws', () => configured({ tracerProvider: { getTracer: fail } })],
];

function breakAdmit(admit: () => unknown): () => void {
  Object.defineProperty(gate, 'admit', { configurable: true, value: admit as () => Admission });
  return () => Reflect.deleteProperty(gate, 'admit');
}

function configured(configuration: Parameters<typeof gate.configure>[0]): () => void {
  gate.configure(configuration);
  return () => gate.configure({ recorder: undefined, tracerProvider: undefined });
}

function actsOf({ cases }: FidelityLibrary): FidelityAct[] {
  return [cases.call, cases.stream, cases['mid-stream error']].filter(isAct);
}

async function runAll(acts: readonly FidelityAct[], peer: Peer): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const act of acts) results.push(await act.run(peer));
  return results;
}

/** Places that have failed once in this process. */
const failedPlaces = new Set<string>();

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

  it.each(faults)('because %s: the host sees the same', async (_fault, breakIt) => {
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
      const sabotage = new Sabotage();
      const wrong: string[] = [];
      try {
        await runAll(acts, peer);
        const places = [...sabotage.places];
        expect(places.length).toBeGreaterThan(10);
        // What libraries share has failed for the first of them.
        const due = places.filter((place) => !failedPlaces.has(place));
        for (const place of due) {
          failedPlaces.add(place);
          sabotage.target = place;
          const seen = await runAll(acts, peer).catch((error: unknown) => error);
          sabotage.target = undefined;
          if (!Object.is(differs(seen, plain), undefined)) wrong.push(place);
        }
      } finally {
        sabotage.stop();
      }
      expect(wrong).toEqual([]);
    },
    SABOTAGE_TIMEOUT_MS,
  );
});

function differs(seen: unknown, expected: unknown): unknown {
  try {
    expect(seen).toStrictEqual(expected);
    return undefined;
  } catch (difference) {
    return difference;
  }
}
