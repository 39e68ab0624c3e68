import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeskStage } from './desk-stage.ts';
import { type Mutation, mutations } from './mutations.ts';

let stage: DeskStage;

beforeAll(async () => {
  stage = await DeskStage.set();
});

afterAll(() => stage.strike());

/** The path without what changes from stage to stage: the port of the server. */
function stablePath(path: string): string {
  return path.replace(/^agent:desk\/?/, '').replace(/ 127\.0\.0\.1:\d+/, '');
}

async function expectReported({ change, kind, path = '', at }: Mutation): Promise<void> {
  const { report, done } = await stage.replay(change);
  expect(report.verdict).toBe('diverged');
  expect(report.exitCode).toBe(1);
  const causes = report.divergences.filter(({ causedBy }) => causedBy === undefined);
  const [first] = causes;
  expect({ kind: first?.kind, path: stablePath(first?.path ?? '') }).toEqual({ kind, path });
  const places = first?.difference?.map((entry) => entry.path) ?? [];
  if (at !== undefined) expect(places).toEqual(expect.arrayContaining([...at]));
  expect(first?.message.length).toBeGreaterThan(10);
  expect(first?.next.length).toBeGreaterThan(10);
  expect(first?.source?.file ?? '').toMatch(
    kind === 'unconsumed' || kind === 'outcome-changed' ? /^$|desk/ : /desk\.ts$/,
  );
  expect(done).toEqual(change.live === undefined ? [] : ['limit']);
}

describe.each(Object.entries(mutations))('mutated %s', (_, rows) => {
  it.each(rows.map((row) => [row.name, row] as const))('%s: reported with kind and path', async (_name, row) => {
    await expectReported(row);
  });
});
