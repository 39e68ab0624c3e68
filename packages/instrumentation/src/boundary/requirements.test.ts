import { isReenactError } from '@reenact/trace-model';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent, flaggedTally, identify, type RequiredIdentity, tool, withIdentity } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

function thrownBy(make: () => unknown): unknown {
  try {
    make();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

async function missingOf(name: string): Promise<unknown> {
  const spans = await host.recorded();
  return spans.find(({ attributes }) => attributes['reenact.name'] === name)?.attributes['reenact.requires.missing'];
}

describe('a boundary that requires to know whom a call is for', () => {
  it('flags and counts the crossings that do not, and calls through', async () => {
    const trade = tool('requires.trade', (shares: number) => shares * 2, { requires: ['user.id', 'tenant'] });
    expect(trade(21)).toBe(42);
    expect(withIdentity({ userId: 'u-1', tenant: 'acme' }, () => trade(1))).toBe(2);
    expect(withIdentity({ userId: 'u-1', tenant: '' }, () => trade(2))).toBe(4);
    const flags = (await host.recorded()).map(({ attributes }) => attributes['reenact.requires.missing']);
    expect(flags).toEqual([['user.id', 'tenant'], undefined, ['tenant']]);
    expect(host.own.getFinishedSpans()[0]?.attributes['reenact.requires.missing']).toEqual(['user.id', 'tenant']);
    expect(flaggedTally().get('tool:requires.trade without tenant')).toBe(2);
    expect(flaggedTally().get('tool:requires.trade without user.id')).toBe(1);
  });

  it('takes what the run says of itself later, and flags what throws', async () => {
    const run = agent(
      'requires.run',
      () => {
        identify({ sessionId: 's-1' });
        throw new TypeError('no');
      },
      { requires: ['session.id', 'conversation'] },
    );
    expect(run).toThrow(TypeError);
    expect(await missingOf('requires.run')).toEqual(['conversation']);
  });

  it('refuses words it does not know where it is made', () => {
    const thrown = thrownBy(() => tool('x', () => 1, { requires: ['user' as RequiredIdentity] }));
    expect(isReenactError(thrown) && thrown.code).toBe('bad-argument');
  });
});

describe('identity', () => {
  it('is on every span of the run, those of other libraries included', async () => {
    const tracer = host.provider.getTracer('app');
    const inner = tool('requires.inner', () => 1);
    const run = agent('requires.outer', () => {
      identify({ userId: 'u-9' });
      tracer.startActiveSpan('of the app', (span) => {
        inner();
        span.end();
      });
      tracer.startActiveSpan('said otherwise', { attributes: { 'user.id': 'own' } }, (span) => span.end());
    });
    const whole = { tenant: 'acme', sessionId: 's', conversationId: 'c' };
    withIdentity(whole, run);
    const spans = await host.recorded();
    const facts = { 'reenact.tenant': 'acme', 'session.id': 's' };
    expect(spans).toHaveLength(4);
    for (const span of spans) {
      const userId = span.name === 'said otherwise' ? 'own' : 'u-9';
      expect(span.attributes).toMatchObject({ ...facts, 'user.id': userId });
      expect(Object.values(span.attributes)).toContain('c');
    }
  });
});

const order = z.object({ symbol: z.string(), shares: z.number().int() });

describe('an input schema', () => {
  it('flags, counts and names what it refuses, and changes nothing of the call', async () => {
    const given = { symbol: 'ACME', shares: '1000' };
    const seen: unknown[] = [];
    const sell = tool('requires.sell', (input: typeof given) => seen.push(input), { input: order });
    sell(given);
    sell({ symbol: 'ACME', shares: 3 as never });
    expect(seen[0]).toBe(given);
    const [flagged, fine] = await host.recorded();
    expect(flagged?.attributes['reenact.input.violations']).toBe(1);
    expect(flagged?.attributes['reenact.input.invalid']).toEqual([expect.stringMatching(/^\/0\/shares Invalid input/)]);
    expect(fine?.attributes['reenact.input.violations']).toBeUndefined();
    // What a message quotes is content: the exporters of the app see that there is something.
    expect(host.own.getFinishedSpans()[0]?.attributes).toMatchObject({ 'reenact.input.violations': 1 });
    expect(host.own.getFinishedSpans()[0]?.attributes['reenact.input.invalid']).toBeUndefined();
    expect(flaggedTally().get('tool:requires.sell with an input that its schema refuses')).toBe(1);
  });

  it('is one for each argument where it is a list', async () => {
    const add = tool('requires.add', (one: number, two: number) => one + two, { input: [z.number(), z.number()] });
    expect(add(1, '2' as never)).toBe('12');
    const [span] = await host.recorded();
    expect(span?.attributes['reenact.input.invalid']).toEqual([expect.stringMatching(/^\/1 /)]);
  });

  it('that throws, rejects or answers later is said to have checked nothing', async () => {
    const schemaOf = (validate: () => never) => ({ '~standard': { version: 1, vendor: 'test', validate } }) as const;
    const failing = [
      schemaOf(() => {
        throw new RangeError('broken');
      }),
      schemaOf(() => Promise.reject(new RangeError('later')) as never),
      schemaOf(() => null as never),
    ];
    expect(tool('requires.odd', (...all: number[]) => all.length, { input: failing })(1, 2, 3)).toBe(3);
    const [span] = await host.recorded();
    expect(span?.attributes['reenact.input.violations']).toBe(3);
    expect(span?.attributes['reenact.input.invalid']).toEqual([
      '/0 not checked: the schema threw',
      '/1 not checked: the schema answers later',
      '/2 not checked: the schema threw',
    ]);
  });

  it('never changes what a function returns, whatever it is called with', () => {
    const echo = tool('requires.echo', (value: unknown) => value, { input: order as never, requires: ['user.id'] });
    fc.assert(
      fc.property(fc.anything(), (value) => Object.is(echo(value), value)),
      { numRuns: 200 },
    );
  });

  it('that is none is refused where the boundary is made', () => {
    const thrown = thrownBy(() => tool('x', () => 1, { input: { parse: () => 1 } as never }));
    expect(isReenactError(thrown) && thrown.code).toBe('bad-argument');
  });
});

describe('what an input schema refuses', () => {
  it('names an argument that is wrong as a whole, where the path of its library is a list of a class of its own', async () => {
    // That of arktype takes its items one by one, so that what is made like it of a length has that as an item.
    class Path extends Array<PropertyKey> {
      constructor(...items: PropertyKey[]) {
        super();
        this.push(...items);
      }
    }
    const schemaOf = (...path: PropertyKey[]) => {
      const validate = () => ({ issues: [{ message: 'must be a string', path: new Path(...path) }] });
      return { '~standard': { version: 1, vendor: 'test', validate } } as const;
    };
    const input = [schemaOf(), schemaOf('a'), schemaOf('a', 0)];
    tool('requires.whole', (...all: number[]) => all.length, { input })(1, 2, 3);
    const [span] = await host.recorded();
    expect(span?.attributes['reenact.input.invalid']).toEqual([
      '/0 must be a string',
      '/1/a must be a string',
      '/2/a/0 must be a string',
    ]);
  });
});
