import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

/** What the service says to be in memory, of twenty requests for each way to end a call. */
async function left(hook: readonly string[]): Promise<Record<string, number>> {
  const { stdout, stderr, exitCode } = await stage.node(['--expose-gc', '--no-warnings', ...hook, 'letting-go.ts']);
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as Record<string, number>;
}

describe('what a request keeps in its context', () => {
  it('is let go of when the request is over, however its calls ended, as without the hook', async () => {
    const bare = await left([]);
    const recorded = await left(['--import', 'reenact/register']);
    expect(Object.keys(recorded)).toHaveLength(12);
    for (const leftBy of [bare, recorded]) expect(Object.entries(leftBy).filter(([, count]) => count > 2)).toEqual([]);
  });
});
