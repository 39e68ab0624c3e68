import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { arrivalOf } from '../testdata/agent-model.ts';
import { playerOf } from '../testdata/replay-of.ts';
import { coverageOf, renderCoverage } from './coverage.ts';

describe('coverage', () => {
  const recording = buildRecording({
    label: 'agent:a',
    children: [
      { label: 'tool:clean', children: [{ label: 'http:GET x' }] },
      { label: 'tool:lossy', lossy: ['/output handle Socket'] },
      { label: 'tool:open', outcome: 'pending' },
      { label: 'tool:redacted', redacted: ['/input/0/key'] },
      { label: 'guardrail:g' },
      { label: 'tool:never', children: [{ label: 'http:GET y' }] },
    ],
  });
  const { player, report } = playerOf(recording, { live: ['guardrail:g'] });
  const root = player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
  if (root.type !== 'run') throw new TypeError('the root runs');
  for (const label of ['tool:clean', 'tool:lossy', 'tool:open', 'tool:redacted', 'guardrail:g'] as const) {
    player.answer(arrivalOf({ label, input: [] }, root.position));
  }
  const coverage = coverageOf(report(), recording);

  it('counts what was served, with what lies inside', () => {
    expect(coverage).toMatchObject({ recorded: 8, covered: 2 });
  });

  it('names each gap', () => {
    expect(coverage.gaps.map(({ cause, path }) => `${cause} ${path}`)).toEqual([
      'lossy agent:a/tool:lossy',
      'pending agent:a/tool:open',
      'unverified agent:a/tool:redacted',
      'live agent:a/guardrail:g',
      'unconsumed agent:a/tool:never',
    ]);
  });

  it('is rendered for people', () => {
    expect(renderCoverage(coverage)).toMatchInlineSnapshot(`
      "2 of 8 recorded crossings are covered by this replay.
        agent:a/tool:lossy holds values that could not be recorded exactly (/output handle Socket).
        agent:a/tool:open had not ended when its process stopped.
        agent:a/tool:redacted has redacted parts, which were compared by presence only (/input/0/key).
        agent:a/guardrail:g ran for real, so its recorded outcome was not served.
        agent:a/tool:never was recorded, but the replay did not call it.
      "
    `);
  });

  it('says once what is missing of many crossings alike', () => {
    const gaps = ['agent:a/tool:b', 'agent:a/tool:b#2', 'agent:a/tool:c', 'agent:a/tool:b#3'].map(
      (path, index) => ({ cause: path.endsWith('c') ? 'unconsumed' : 'pending', path, spanId: String(index) }) as const,
    );
    expect(renderCoverage({ recorded: 4, covered: 0, gaps })).toMatchInlineSnapshot(`
      "0 of 4 recorded crossings are covered by this replay.
        agent:a/tool:b had not ended when its process stopped. The same is true of 2 more crossings: agent:a/tool:b#2 and agent:a/tool:b#3.
        agent:a/tool:c was recorded, but the replay did not call it.
      "
    `);
  });
});

describe('coverage of a run that is one call', () => {
  const bare = (redacted: readonly string[]): ReturnType<typeof coverageOf> => {
    const recording = buildRecording({ label: 'model:m', redacted: [...redacted] });
    const { player, report } = playerOf(recording, { servesRoot: true });
    player.answer(arrivalOf({ label: 'model:m', input: [] }, undefined));
    return coverageOf(report(), recording);
  };

  it('counts the call, which is answered like others', () => {
    expect(bare([])).toEqual({ recorded: 1, covered: 1, gaps: [] });
  });

  it('names what was not compared of it', () => {
    expect(bare(['/input/0/key'])).toMatchObject({ recorded: 1, covered: 0, gaps: [{ cause: 'unverified' }] });
  });
});
