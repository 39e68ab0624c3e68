import { type Context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../gate/player.ts';
import { crossingContext } from './crossing-context.ts';
import { type CrossingScope, SCOPE_KEY, scopeOf, withScope } from './crossing-scope.ts';
import { POSITION_KEY, positionOf, withPosition } from './position.ts';

const spans = ['a', 'b'].map((digit) =>
  trace.wrapSpanContext({ traceId: digit.repeat(32), spanId: digit.repeat(16), traceFlags: 0 }),
);
const scopes = ['s', 't'].map((spanId) => ({ spanId }) as CrossingScope);
const positions = ['p', 'q'].map((cursor) => ({ cursor }) as Position);
const hostKeys = ['x', 'y'].map((name) => createContextKey(`crossing-context.test.${name}`));
const indexes = fc.nat(1);

/** One step done to both: to ours, and to contexts of the API, which are the model. */
type Step = (context: Context, isModel: boolean) => Context;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ span: indexes, scope: indexes, position: fc.option(indexes) }).map((chosen): Step => {
    const [span, scope] = [spans[chosen.span], scopes[chosen.scope]];
    const position = chosen.position === null ? undefined : positions[chosen.position];
    if (span === undefined || scope === undefined) throw new RangeError('no such value');
    return (context, isModel) => {
      if (!isModel) return crossingContext(context, { span, scope, position });
      const inside = withScope(trace.setSpan(context, span), scope);
      return position === undefined ? inside : withPosition(inside, position);
    };
  }),
  fc.tuple(fc.constantFrom(...hostKeys, SCOPE_KEY, POSITION_KEY), fc.nat(9)).map(
    ([key, value]): Step =>
      (context) =>
        context.setValue(key, value),
  ),
  fc.constantFrom(...hostKeys, SCOPE_KEY, POSITION_KEY).map(
    (key): Step =>
      (context) =>
        context.deleteValue(key),
  ),
  indexes.map((index): Step => {
    const span = spans[index];
    return (context) => (span === undefined ? context : trace.setSpan(context, span));
  }),
  fc.constant<Step>((context) => trace.deleteSpan(context)),
);

function seenIn(context: Context): unknown[] {
  return [
    trace.getSpan(context),
    trace.getSpanContext(context)?.spanId,
    scopeOf(context),
    positionOf(context),
    ...hostKeys.map((key) => context.getValue(key)),
  ];
}

describe('the context of a crossing', () => {
  it('holds what a context of the API would after any steps, and leaves the ones before it as they were', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), (taken) => {
        const made: (readonly [own: Context, model: Context])[] = [[ROOT_CONTEXT, ROOT_CONTEXT]];
        for (const step of taken) {
          const [own, model] = made.at(-1) ?? [ROOT_CONTEXT, ROOT_CONTEXT];
          made.push([step(own, false), step(model, true)]);
        }
        for (const [own, model] of made) expect(seenIn(own)).toEqual(seenIn(model));
      }),
    );
  });
});
