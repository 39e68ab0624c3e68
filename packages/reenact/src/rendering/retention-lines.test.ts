import type { RetentionPreview } from '@reenact/collector';
import { expect, it } from 'vitest';
import { retentionLines } from './retention-lines.ts';

const NOTHING = { runs: 0, failedRuns: 0, keptRuns: 0, logDays: 0, packedBytes: 0 };
const PREVIEW: RetentionPreview = {
  retention: { graceDays: 7, ordinaryDays: 30, specialDays: 365 },
  storedRuns: 50,
  storedBytes: 1_000_000,
  byAge: { ...NOTHING, runs: 12, packedBytes: 100_000 },
  bySize: NOTHING,
  excessBytes: 0,
  named: [],
};

/** What stands below how many go by age. */
function below(preview: RetentionPreview): string | undefined {
  const lines = retentionLines(preview);
  return lines[lines.findIndex((line) => line.startsWith('would go by age: 12 runs')) + 1];
}

it('says whose runs would go where they are of several tenants', () => {
  const north = { tenant: 'north', runs: 8 };
  const south = { tenant: 'south', runs: 4 };
  expect(below({ ...PREVIEW, byAgeOf: [north, south] })).toBe('  by tenant: north 8 · south 4');
  expect(below({ ...PREVIEW, byAgeOf: [north, { ...south, runs: 1 }] })).toBe(
    '  by tenant: north 8 · south 1 · others 3',
  );
  expect(below({ ...PREVIEW, byAgeOf: [{ ...north, runs: 12 }] })).toBe('  and 12 more');
  expect(below(PREVIEW)).toBe('  and 12 more');
});
