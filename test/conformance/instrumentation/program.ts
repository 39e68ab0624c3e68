import fc from 'fast-check';
import type { AgentHabit } from './agent-habits.ts';
import type { CallHabit } from './call-habits.ts';
import type { ModelHabit } from './model-habits.ts';
import type { Program } from './performance.ts';
import { OUTSIDE_WORKS } from './work-outside.ts';

const ms = fc.integer({ min: 1, max: 12 });

const count = fc.integer({ min: 1, max: 4 });

const habit: fc.Arbitrary<AgentHabit> = fc.oneof(
  fc.record({ does: fc.constant('streamed' as const), ms: fc.integer({ min: 1, max: 4 }), count, taken: count }),
  fc.record({ does: fc.constant('aborted' as const), ms, afterMs: ms, by: fc.constantFrom('controller', 'timeout') }),
  fc.record({ does: fc.constantFrom('posted', 'retried'), ms, count }),
  fc.record({ does: fc.constantFrom('until', 'emitted', 'ticking'), ms }),
  fc.record({ does: fc.constant('ticks' as const), count }),
);

const call: fc.Arbitrary<CallHabit> = fc.oneof(
  fc.record({ does: fc.constant('asked' as const), ms, count }),
  fc.record({ does: fc.constantFrom('asked-at-once', 'called-back', 'drawn', 'yielded'), count }),
  fc.record({ does: fc.constantFrom('merged', 'teed', 'piped'), ms: fc.integer({ min: 1, max: 4 }), count }),
  fc.record({ does: fc.constantFrom('clocked', 'once'), ms }),
  fc.record({ does: fc.constant('either-signal' as const), ms, afterMs: ms }),
);

const model: fc.Arbitrary<ModelHabit> = fc.record({
  does: fc.constantFrom('openai', 'anthropic', 'ai-sdk'),
  ms: fc.integer({ min: 1, max: 6 }),
  refusals: fc.constantFrom(0, 0, 1, 2),
  count: fc.constantFrom(0, 1, 4),
  taken: count,
  afterMs: fc.oneof(fc.constant(0), ms),
});

/** Programs that are parts of others. */
export const anyProgram: fc.Arbitrary<Program> = fc.letrec<{ program: Program; leaf: Program; node: Program }>(
  (tie) => ({
    leaf: fc.oneof(
      { weight: 4, arbitrary: habit },
      { weight: 3, arbitrary: model },
      { weight: 4, arbitrary: call },
      fc.record({ does: fc.constantFrom('work', 'fetch', 'get'), ms, fails: fc.boolean() }),
      fc.record({ does: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ does: fc.constantFrom(...OUTSIDE_WORKS), amount: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ does: fc.constantFrom('sleep', 'sleep', 'spin', 'beats'), ms }),
      fc.record({
        does: fc.constant('words' as const),
        ms: fc.integer({ min: 1, max: 3 }),
        count: fc.integer({ min: 1, max: 4 }),
        taken: fc.integer({ min: 1, max: 5 }),
      }),
    ),
    node: fc.oneof(
      fc.record({
        does: fc.constantFrom('sequence', 'together', 'together', 'race', 'any', 'limited'),
        parts: fc.array(tie('program'), { minLength: 1, maxLength: 4 }),
      }),
      fc.record({
        does: fc.constantFrom('nested', 'caught', 'caught', 'in-tool', 'shared', 'left'),
        part: tie('program'),
      }),
      fc.record({ does: fc.constantFrom('deadline', 'told'), ms, part: tie('program') }),
    ),
    program: fc.oneof(
      { maxDepth: 3, depthSize: 'max', withCrossShrink: true },
      { weight: 2, arbitrary: tie('leaf') },
      { weight: 3, arbitrary: tie('node') },
    ),
  }),
).program;

/** Programs that do several things at once. */
export const programs: fc.Arbitrary<Program> = fc.record({
  does: fc.constant('together' as const),
  parts: fc.array(anyProgram, { minLength: 2, maxLength: 4 }),
});

/** Whether a process that does nothing but this is one run: an agent inside would be a run of its own, and without any call there is none. */
export function isOneProcessRun(program: Program): boolean {
  const text = JSON.stringify(program);
  return !text.includes('"nested"') && /"(work|words|fetch|get)"/.test(text);
}
