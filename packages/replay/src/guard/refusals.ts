import type { Behaviour } from '@reenact/instrumentation';
import type { ReenactError } from '@reenact/trace-model';
import type { AttemptedEffects, EffectJudge } from './effect-judge.ts';

/** What one call does. */
export type EffectOf = (parameters: readonly unknown[], self: unknown) => AttemptedEffects;

/** How a function tells that it failed. */
export type FailureShape = 'throw' | 'callback' | 'reject';

/** What a function calls back that takes that last; undefined where it was given none. */
export function callbackOf(
  parameters: readonly unknown[],
): ((error: unknown, ...given: readonly unknown[]) => void) | undefined {
  const last = parameters.at(-1);
  return typeof last === 'function' ? (last as ReturnType<typeof callbackOf>) : undefined;
}

/** Fails as the function itself would: what it throws, calls back with or rejects with is the refusal. */
export function failAs(shape: FailureShape, error: ReenactError, parameters: readonly unknown[]): unknown {
  if (shape === 'reject') return Promise.reject(error);
  const callback = shape === 'callback' ? callbackOf(parameters) : undefined;
  if (callback === undefined) throw error;
  process.nextTick(callback, error);
  return undefined;
}

/** Ends as the function itself does where it has done what it was asked for, and gives nothing. */
export function succeedAs(shape: FailureShape, parameters: readonly unknown[]): unknown {
  if (shape === 'reject') return Promise.resolve(undefined);
  const callback = shape === 'callback' ? callbackOf(parameters) : undefined;
  if (callback !== undefined) process.nextTick(callback, null);
  return undefined;
}

/** Asks before the original runs, and where it is refused fails as the original would. */
export function asking(judge: EffectJudge, shape: FailureShape, effectOf: EffectOf): Behaviour {
  return ({ self, parameters, proceed }) => {
    const refusal = judge.refusalOf(() => effectOf(parameters, self));
    return refusal === undefined ? proceed() : failAs(shape, refusal, parameters);
  };
}
