import { buildRecording } from '@reenact/recordings/testing';
import { isReenactError, type ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions } from './plan.ts';
import { resolvePlan } from './resolved-plan.ts';

const recording = buildRecording({
  label: 'agent:trader',
  children: [
    { label: 'guardrail:order-size', effect: 'read' },
    { label: 'tool:get_quote', effect: 'read', children: [{ label: 'http:GET quotes', effect: 'read' }] },
    { label: 'tool:get_quote', effect: 'read' },
    { label: 'tool:place_order', effect: 'destructive' },
    { label: 'agent:researcher', children: [{ label: 'tool:search', effect: 'read' }] },
  ],
});

function refusal(options: PlanOptions): ReenactError {
  try {
    makePlan(options, recording);
  } catch (error) {
    if (isReenactError(error)) return error;
    throw error;
  }
  throw new TypeError('the plan was accepted');
}

function treatments(options: PlanOptions): Record<string, string> {
  const resolved = resolvePlan(makePlan(options, recording), recording);
  return Object.fromEntries(recording.crossings.map((crossing) => [crossing.path, resolved.treatmentOf(crossing)]));
}

describe('a plan', () => {
  it('stubs everything but agents, whose code runs again', () => {
    expect(treatments({})).toMatchObject({
      'agent:trader/tool:place_order': 'stub',
      'agent:trader/guardrail:order-size': 'stub',
      'agent:trader/agent:researcher': 'rerun',
      'agent:trader/agent:researcher/tool:search': 'stub',
    });
  });

  it('runs, stubs and forbids what it names, by kind and name, path, span id or occurrence', () => {
    const [, , quote] = recording.crossings;
    expect(treatments({ live: [quote?.spanId ?? ''] })).toMatchObject({
      'agent:trader/tool:get_quote': 'live',
      'agent:trader/tool:get_quote#2': 'stub',
    });
    expect(
      treatments({ live: ['tool:get_quote#2'], stub: ['agent:researcher'], forbid: ['place_order'] }),
    ).toMatchObject({
      'agent:trader/tool:get_quote': 'stub',
      'agent:trader/tool:get_quote#2': 'live',
      'agent:trader/agent:researcher': 'stub',
      'agent:trader/tool:place_order': 'forbid',
    });
    expect(treatments({ live: ['tool:place_order'] })['agent:trader/tool:place_order']).toBe('live');
  });
});

describe('a plan that is refused', () => {
  it('names nothing: says what was probably meant, and what there is', () => {
    const error = refusal({ live: ['guardrail:order-sise'] });
    expect(error.code).toBe('bad-plan');
    expect(error.message).toContain('Did you mean "guardrail:order-size"?');
    expect(error.next).toContain('tool:place_order');
    expect(refusal({ forbid: ['zzzzzzzzzzz'] }).message).not.toContain('Did you mean');
  });

  it('names a call that is new by less than its path', () => {
    expect(refusal({ live: ['guardrail:limits'] }).next).toContain('--live agent:trader/guardrail:limits');
    const named = { path: 'agent:trader/guardrail:limits', kind: 'guardrail', name: 'limits' };
    const rules = (live: string): unknown =>
      resolvePlan(makePlan({ live: [live] }, recording), recording).ruleFor(named, 'destructive');
    expect(rules('agent:trader/guardrail:limits')).toBe('live');
    expect(rules('agent:trader/guardrail:other')).toBeUndefined();
    for (const live of ['agent:trade/guardrail:limits', 'agent:trader/guardrail:lim*'])
      expect(refusal({ live: [live] }).message).toContain('names nothing');
    expect(refusal({ forbid: [named.path] }).message).toContain('names nothing');
  });

  it('names a call that is new inside of one that is served whole, or below that', () => {
    const quote = 'agent:trader/tool:get_quote';
    for (const below of ['http:GET other', 'http:GET quotes/tool:parse']) {
      const { code, message, next } = refusal({ live: [`${quote}/${below}`] });
      expect([code, next]).toEqual(['bad-plan', expect.stringContaining('Add --live ')]);
      expect(message).toContain('would never take effect: it lies inside agent:trader/tool:get_quote');
    }
    expect(treatments({ live: [quote, `${quote}/http:GET other`] })[quote]).toBe('live');
    expect(treatments({ live: ['agent:trader/agent:researcher/tool:other'] })[quote]).toBe('stub');
  });

  it('contradicts itself on one crossing', () => {
    const error = refusal({ live: ['tool:get_quote'], stub: ['tool:get_quote#1'] });
    expect(error.message).toContain('agent:trader/tool:get_quote');
    expect(error.message).toMatch(/says stub .*says live|says live .*says stub/);
  });

  it('says how to name one call where one of several cannot take what is edited in all', () => {
    const { next } = refusal({ edit: ['tool:get_quote:chunks[0]=1'] });
    expect(next).toBe(
      'Edit its output with $. Or name the one that you mean by its path, such as agent:trader/tool:get_quote#2: this names agent:trader/tool:get_quote, too.',
    );
    expect(refusal({ edit: ['tool:get_quote#2:chunks[0]=1'] }).next).toBe('Edit its output with $.');
  });

  it('names a place in the JSON of a text: a whole text is compared, and ignored or edited whole', () => {
    const path = '$.messages[*].content › $.at';
    const rule = { selector: 'tool:get_quote', path, why: 'a time' };
    expect(refusal({ file: { version: 1, ignore: [rule] } }).message).toContain(
      'take the whole text, $.messages[*].content.',
    );
  });

  it('would run a write by a pattern: it must be named exactly', () => {
    const error = refusal({ live: ['tool:*'] });
    expect(error.message).toContain('tool:place_order');
    expect(error.next).toContain('--live tool:place_order');
    expect(refusal({ live: ['*:*'] }).code).toBe('bad-plan');
  });

  it('would never run, because it lies inside a stub', () => {
    expect(refusal({ live: ['http:GET quotes'] }).next).toContain('--live tool:get_quote');
    expect(() => makePlan({ live: ['http:GET quotes', 'tool:get_quote#1'] }, recording)).not.toThrow();
  });

  it('stubs the run itself', () => {
    expect(refusal({ stub: ['agent:trader'] }).message).toContain('nothing would run');
  });
});

describe('a pattern', () => {
  it('never runs code that has become a write since it was recorded', () => {
    const resolved = resolvePlan(makePlan({ live: ['guardrail:*'] }, recording), recording);
    const guardrail = recording.crossings.find(({ kind }) => kind === 'guardrail');
    if (guardrail === undefined) throw new TypeError('the recording has a guardrail');
    expect(resolved.treatmentOf(guardrail)).toBe('live');
    expect(resolved.treatmentOf(guardrail, 'write')).toBe('stub');
    expect(resolved.ruleFor({ kind: 'guardrail', name: 'new' }, 'write')).toBeUndefined();
  });
});
