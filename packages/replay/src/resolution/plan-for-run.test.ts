import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions, parsePlanFile } from './plan.ts';
import { planForRun } from './plan-for-run.ts';

const quote = { label: 'tool:get_quote', effect: 'read', output: { price: 1 } } as const;
const order = { label: 'tool:place_order', effect: 'destructive', output: 'filled' } as const;
const asking = buildRecording({ label: 'agent:asker', children: [quote, quote] });
const ordering = buildRecording({ label: 'agent:buyer', children: [order] });
const nested = buildRecording({
  label: 'agent:outer',
  children: [{ label: 'agent:inner', children: [quote] }, order],
});

const all: PlanOptions = {
  live: ['tool:get_quote', 'tool:place_order'],
  forbid: ['tool:place_order'],
  edit: ['tool:get_quote#2:$.price=5', { selector: 'tool:place_order', at: '$', value: 'lost' }],
  fail: ['tool:place_order:timeout'],
  ignore: [{ selector: 'tool:*', path: '$[0].id', why: 'a fresh id' }],
  file: parsePlanFile(
    {
      version: 1,
      profile: 'edit-tolerant',
      rules: [{ selector: 'tool:place_order', policy: 'stub' }],
      ignore: [{ selector: 'tool:get_quote', path: '$[0].at', why: 'the time' }],
    },
    'plan.json',
  ),
};

function rootOf({ roots }: typeof asking): string {
  return roots[0]?.spanId ?? '';
}

describe('a plan for several runs', () => {
  it('keeps for each what names something there, and tells what it left out as it was written', () => {
    const { options, leftOut } = planForRun(all, asking, rootOf(asking));
    expect(options).toEqual({
      live: ['tool:get_quote'],
      stub: [],
      forbid: [],
      edit: ['tool:get_quote#2:$.price=5'],
      fail: [],
      ignore: all.ignore,
      file: { version: 1, profile: 'edit-tolerant', rules: [], ignore: all.file?.ignore },
    });
    expect(leftOut).toEqual([
      '--live tool:place_order',
      '--forbid tool:place_order',
      'a rule of the plan file for tool:place_order',
      'an edit for tool:place_order',
      '--fail tool:place_order:timeout',
    ]);
    expect(makePlan({ ...options, live: [] }, asking).rules).toHaveLength(1);
  });

  it('keeps an occurrence only where there is that one', () => {
    const options = { edit: ['tool:get_quote#3:$.price=5'] };
    expect(planForRun(options, asking, rootOf(asking)).leftOut).toEqual(['--edit tool:get_quote#3:$.price=5']);
    expect(planForRun(options, ordering, rootOf(ordering)).options.edit).toEqual([]);
  });

  it('looks below the span that is replayed only', () => {
    const inner = nested.crossings.find(({ name }) => name === 'inner')?.spanId ?? '';
    const options = { live: ['tool:get_quote', 'tool:place_order'] };
    expect(planForRun(options, nested, inner).options.live).toEqual(['tool:get_quote']);
    expect(planForRun(options, nested, rootOf(nested)).leftOut).toEqual([]);
    expect(planForRun(options, nested, 'f'.repeat(16)).leftOut).toEqual([]);
  });

  it.each([
    ['a selector', { live: ['tool:get_quote#0'] }],
    ['an edit', { edit: ['tool:get_quote'] }],
    ['a failure', { fail: ['tool:get_quote:boom'] }],
  ])('that cannot be read is refused: %s', (_, options) => {
    expect(() => planForRun(options, asking, rootOf(asking))).toThrow(expect.objectContaining({ code: 'bad-plan' }));
  });
});
