import { isReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { boundary, pgClient, tool } from '../index.ts';

/** What somebody writes whose code is not type-checked. */
function untyped(fn: unknown, ...parameters: unknown[]): () => unknown {
  return () => Reflect.apply(fn as () => unknown, undefined, parameters);
}

function refusalOf(make: () => unknown): unknown {
  try {
    make();
  } catch (thrown) {
    if (!isReenactError(thrown)) throw thrown;
    return { code: thrown.code, message: thrown.message, where: thrown.where, next: thrown.next };
  }
  return undefined;
}

const work = (): number => 1;

describe('what is said of a boundary by a name or value there is none of', () => {
  it('is refused where the boundary is made, with what there is instead', () => {
    expect(refusalOf(untyped(tool, 'order', work, { efect: 'read' }))).toEqual({
      code: 'bad-argument',
      message: 'There is no option "efect".',
      where: 'tool:order',
      next: 'Use one of: effect, capture, errors, values, toolCallId, policy, requires, input.',
    });
    expect(refusalOf(untyped(tool, 'order', work, { effect: 'reed' }))).toMatchObject({
      message: '"reed" is no effect.',
      next: 'Use one of: none, read, write, destructive.',
    });
    expect(refusalOf(untyped(tool, 'order', work, { capture: 7 }))).toMatchObject({ message: '7 is no capture.' });
    expect(refusalOf(untyped(boundary, 'tol', 'order', work))).toMatchObject({
      message: '"tol" is no kind of boundary.',
    });
  });

  it('is refused for decorators, clients and ready wrappers, too', () => {
    const decorate = tool('order', { efect: 'read' } as object) as (method: unknown, context: object) => unknown;
    expect(refusalOf(() => decorate(work, { kind: 'method' }))).toMatchObject({
      message: 'There is no option "efect".',
    });
    const client = { query: work };
    const definition = { kind: 'database', methods: ['query'] };
    expect(refusalOf(untyped(boundary.client, client, { ...definition, effects: 'read' }))).toMatchObject({
      message: 'There is no option "effects".',
    });
    expect(refusalOf(untyped(boundary.client, client, { ...definition, capture: 'some' }))).toMatchObject({
      message: '"some" is no capture.',
    });
    expect(refusalOf(untyped(pgClient, client, { named: 'ledger' }))).toMatchObject({
      where: 'database:postgresql',
      next: 'Use one of: name, capture, errors, values.',
    });
  });

  it('does not refuse what is left open', () => {
    const options = { effect: undefined, capture: undefined, errors: [], values: undefined, policy: undefined };
    expect(refusalOf(untyped(tool, 'order', work, options))).toBeUndefined();
    expect(refusalOf(untyped(pgClient, { query: work }, { capture: undefined, name: 'ledger' }))).toBeUndefined();
  });
});
