import { type Admission, gate } from '@reenact/instrumentation';
import { expect } from 'vitest';
import { Sabotage } from './sabotage.ts';

/** Throws as code of ours that is broken does. */
export const fail = (): never => {
  throw new RangeError('ours is broken');
};

function breakAdmit(admit: () => unknown): () => void {
  Object.defineProperty(gate, 'admit', { configurable: true, value: admit as () => Admission });
  return () => Reflect.deleteProperty(gate, 'admit');
}

function configured(configuration: Parameters<typeof gate.configure>[0]): () => void {
  gate.configure(configuration);
  return () => gate.configure({ recorder: undefined, tracerProvider: undefined });
}

/** Parts of ours that all calls pass, and how to break each; breaking gives how to mend it. */
export const FAULTS: readonly (readonly [string, () => () => void])[] = [
  ['the gate throws', () => breakAdmit(fail)],
  ['the recorder throws', () => configured({ recorder: { record: fail } })],
  ['the tracer provider throws', () => configured({ tracerProvider: { getTracer: fail } })],
];

function isEqual(seen: unknown, expected: unknown): boolean {
  try {
    expect(seen).toStrictEqual(expected);
    return true;
  } catch {
    return false;
  }
}

/** Places that have failed once in this process and did not show. Those that did are looked at again, by a second try as well. */
const hiddenPlaces = new Set<string>();

/**
 * Runs what a host does once for every place of ours in it that calls the platform, of which there are at least `placesMin`,
 * with that place failing, and gives the places whose failure the host saw. What several suites of a process share fails in the first of them.
 */
export async function visibleFailures(run: () => Promise<unknown>, plain: unknown, placesMin = 10): Promise<string[]> {
  const sabotage = new Sabotage();
  const visible: string[] = [];
  try {
    await run();
    const places = [...sabotage.places];
    expect(places.length).toBeGreaterThanOrEqual(placesMin);
    for (const place of places.filter((place) => !hiddenPlaces.has(place))) {
      sabotage.target = place;
      const seen = await run().catch((error: unknown) => error);
      sabotage.target = undefined;
      if (isEqual(seen, plain)) hiddenPlaces.add(place);
      else visible.push(place);
    }
  } finally {
    sabotage.stop();
  }
  return visible;
}
