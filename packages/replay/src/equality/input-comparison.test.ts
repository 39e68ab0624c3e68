import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareRedaction, redactEncoded } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { ATTR_REENACT_INPUT, ATTR_REENACT_KEY, ATTR_REENACT_REDACTION_KEY } from '@reenact/semconv/reenact';
import {
  CANONICAL_POLICIES,
  type CanonicalPolicy,
  type Crossing,
  canonicalKey,
  type Exchange,
  encodeValue,
  payloadOf,
  UNSENT_BODY_MARK,
} from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputComparer, LiveInput } from './input-comparison.ts';

function recordedWith(plan: Partial<CrossingPlan>): Crossing {
  const [crossing] = buildRecording({ label: 'tool:t', ...plan }).crossings;
  if (crossing === undefined) throw new TypeError('one crossing was built');
  return crossing;
}

function compare(plan: Partial<CrossingPlan>, live: unknown) {
  return new InputComparer().compare(recordedWith(plan), new LiveInput(encodeValue(live)));
}

describe('inputs', () => {
  it('are equal to themselves, and to nothing else', () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 });
    fc.assert(
      fc.property(values, values, (left, right) => {
        const [one, other] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))] as const;
        expect(compare({ input: one }, one)).toEqual({ type: 'equal', unverified: [] });
        const areEqual =
          canonicalKey(CANONICAL_POLICIES.arguments, encodeValue(one).payload) ===
          canonicalKey(CANONICAL_POLICIES.arguments, encodeValue(other).payload);
        expect(compare({ input: one }, other).type).toBe(areEqual ? 'equal' : 'changed');
      }),
    );
  });

  it.each([
    ['1 and "1"', [1], ['1']],
    ['undefined and null', [undefined], [null]],
    ['undefined and nothing', [undefined], []],
    ['a date and its text', [new Date(0)], ['1970-01-01T00:00:00.000Z']],
    ['0 and -0', [0], [-0]],
    ['1 and 1n', [1], [1n]],
    ['an array and an object with its indices', [[1]], [{ 0: 1 }]],
  ])('tell %s apart', (_, recorded, live) => {
    expect(compare({ input: recorded }, live).type).toBe('changed');
  });

  it('hold files that are compared by their content, and not by when they were made', () => {
    const file = (text: string, lastModified: number): File => new File([text], 'a.txt', { lastModified });
    expect(compare({ input: [{ file: file('a', 1) }] }, [{ file: file('a', 2) }]).type).toBe('equal');
    expect(compare({ input: [{ file: file('a', 1) }] }, [{ file: file('b', 1) }]).type).toBe('changed');
  });

  it('hold files of which recordings of before say only that they were there', () => {
    const before = { input: [{ file: 0 }], lossy: ['/input/0/file handle File'] };
    const recorded = recordedWith(before);
    const data = '[{"file":{"$":"handle","class":"File"}}]';
    const comparer = new InputComparer();
    const old = { ...recorded, input: { ...payloadOf('js', data) } };
    const live = (value: unknown) => comparer.compare(old, new LiveInput(encodeValue([value]))).type;
    expect(live({ file: new File(['a'], 'a.txt') })).toBe('equal');
    expect(live({ file: new Blob(['a']) })).toBe('changed');
  });

  it('hold files of which one could not be read, and the others are compared by their content', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'reenact-files-')), 'order.txt');
    writeFileSync(path, 'on the disk');
    const onDisk = await openAsBlob(path);
    const recorded = [new Blob(['pay 1']), onDisk];
    const { lossy } = encodeValue([recorded]);
    expect(lossy).toEqual(['/0/1 handle Blob']);
    const marked = { input: [recorded], lossy: ['/input/0/1 handle Blob'] };
    expect(compare(marked, [[new Blob(['pay 1']), onDisk]]).type).toBe('equal');
    expect(compare(marked, [[new Blob(['pay 1000000']), onDisk]]).type).toBe('changed');
    rmSync(dirname(path), { recursive: true });
  });

  it('do not depend on the order of keys', () => {
    expect(compare({ input: [{ a: 1, b: 2 }] }, [{ b: 2, a: 1 }]).type).toBe('equal');
  });
});

describe('inputs that are equal as far as they were recorded', () => {
  it.each(['symbol', 'handle', 'unreadable', 'too-deep', 'too-large'])(
    'say where a recording has only the mark "%s"',
    (mark) => {
      const plan = { input: [{ a: 1 }], lossy: [`/input/0/a ${mark} of it`] };
      expect(compare(plan, [{ a: 1 }])).toEqual({ type: 'equal', unverified: [], withoutContent: ['/0/a'] });
    },
  );

  it.each(['class Order', 'error-class OrderError', 'members', 'symbol-members', 'too-many-fields'])(
    'say that there may be more than was recorded: %s',
    (mark) => {
      const plan = { input: [{ a: 1 }], lossy: [`/input/0 ${mark}`] };
      expect(compare(plan, [{ a: 1 }])).toEqual({ type: 'equal', unverified: [], unseen: [`/0 (${mark})`] });
    },
  );
});

describe('a model request', () => {
  const canonical = CANONICAL_POLICIES.modelRequest.name;
  const request = { model: 'm', messages: [{ role: 'user', content: 'sell' }], temperature: 0, user: 'u1' };

  it('is compared by its load-bearing fields', () => {
    expect(compare({ canonical, input: request }, { ...request, user: 'u2' }).type).toBe('equal');
    expect(compare({ canonical, input: request }, { ...request, temperature: 1 }).type).toBe('changed');
    expect(compare({ canonical, input: request }, { ...request, seed: 1 }).type).toBe('changed');
  });

  it('differs at a JSON path', () => {
    const live = new LiveInput(encodeValue({ ...request, messages: [{ role: 'user', content: 'buy' }] }));
    const recorded = recordedWith({ canonical, input: request });
    expect(new InputComparer().difference(recorded, live)).toEqual({
      difference: { entries: [{ path: '$.messages[0].content', recorded: '"sell"', live: '"buy"' }], total: 1 },
      leaves: ['buy'],
    });
  });
});

describe('a request whose connection failed before its body had been read', () => {
  const canonical = CANONICAL_POLICIES.httpRequest.name;
  const input = { method: 'POST', url: 'http://a.example/x' };
  const exchange: Exchange = {
    layer: 'fetch',
    attempt: 0,
    startedAtUnixNano: '1',
    request: { method: 'POST', url: input.url, headers: [] },
  };
  const [status, statusText, end] = [200, 'OK', 'complete'] as const;
  const answered: Exchange = {
    ...exchange,
    response: {
      status,
      statusText,
      url: input.url,
      headers: [],
      headersAfterUs: 0,
      chunks: [],
      end,
      endAfterUs: 0,
      hasBody: true,
    },
  };
  const live = { ...input, body: { text: 'sell' } };

  it('is compared but for the body, which is told', () => {
    const found = compare({ canonical, input, exchanges: [exchange] }, live);
    expect(found).toEqual({ type: 'equal', unverified: [], withoutContent: ['/body'] });
  });

  it('is compared so, too, where it was answered or called off before its end, and where its process stopped', () => {
    const equal = { type: 'equal', unverified: [], withoutContent: ['/body'] };
    const early = { canonical, input, exchanges: [answered], lossy: [UNSENT_BODY_MARK] };
    expect(compare(early, live)).toEqual(equal);
    expect(compare(early, { ...live, url: 'http://b.example/x' }).type).toBe('changed');
    expect(compare({ label: 'http:POST a.example', canonical, input, outcome: 'pending' }, live)).toEqual(equal);
  });

  it('differs where anything else does, and where the body is known or was answered', () => {
    const refused = { canonical, input, exchanges: [exchange] };
    expect(compare(refused, { ...live, url: 'http://b.example/x' }).type).toBe('changed');
    expect(compare({ ...refused, input: { ...input, body: { text: 'buy' } } }, live).type).toBe('changed');
    expect(compare({ ...refused, exchanges: [answered] }, live).type).toBe('changed');
    expect(compare({ canonical, input }, live).type).toBe('changed');
  });
});

describe('every rule that recordings are made under today', () => {
  const rules = Object.values<CanonicalPolicy>(CANONICAL_POLICIES).filter(
    ({ fields, form }) => fields === undefined && form === undefined,
  );
  const names = [
    'model',
    'messages',
    'metadata',
    'user',
    'cache_control',
    'method',
    'url',
    'arguments',
    'imagination',
  ] as const;

  it.each(rules.map((policy) => [policy.name, policy] as const))(
    '%s: reports whatever is another, unless it is declared',
    (_, policy) => {
      // A recording written by hand would have to escape the member that tags stand in.
      const untagged = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"$"'));
      const inputs = fc.dictionary(fc.constantFrom(...names), untagged, { noNullPrototype: true });
      fc.assert(
        fc.property(inputs, fc.constantFrom(...names), fc.uuid(), (given, name, value) => {
          const input = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
          // As the gate hands it over: a number of sixteen digits may be one of a payment card.
          const live = new LiveInput(redactEncoded(encodeValue({ ...input, [name]: value })));
          const isDeclared = policy.volatile?.includes(name) === true;
          const recorded = recordedWith({ canonical: policy.name, input });
          expect(new InputComparer().compare(recorded, live).type).toBe(isDeclared ? 'equal' : 'changed');
          const { entries } = new InputComparer().difference(recorded, live).difference;
          expect(entries.map(({ path }) => path)).toEqual(isDeclared ? [] : [`$.${name}`]);
        }),
        { examples: [[{ model: { '': 4626169283760188 } }, 'messages', '00000000-0000-1000-8000-000000000000']] },
      );
    },
  );
});

describe('a redacted input', () => {
  const redacted = ['/input/0/token', '/input/1~1x', '/output/secret'];
  const input = [{ token: 'hmac:abc', user: 'u' }];

  it('is compared by presence there, and says so', () => {
    expect(compare({ input, redacted }, [{ token: 'plain', user: 'u' }])).toEqual({
      type: 'equal',
      unverified: ['/0/token', '/1~1x'],
    });
    expect(compare({ input, redacted }, [{ user: 'u' }]).type).toBe('changed');
    expect(compare({ input, redacted }, [{ token: 'plain', user: 'v' }]).type).toBe('changed');
  });

  it('is compared around a secret in a text, and by the secret itself where its key is there', () => {
    const places = ['/input/0/prompt'];
    const prompt = (token: string, amount = 1) => [{ prompt: `Pay ${amount} with [redacted:bearer:${token}].` }];
    const [mine, other] = ['0123456789abcdef', 'fedcba9876543210'];
    const elsewhere = {
      input: prompt(mine),
      redacted: places,
      attributes: { [ATTR_REENACT_REDACTION_KEY]: 'another' },
    };
    expect(compare(elsewhere, prompt(other))).toEqual({ type: 'equal', unverified: ['/0/prompt'] });
    expect(compare(elsewhere, prompt(mine, 1000)).type).toBe('changed');
    expect(compare(elsewhere, [{ prompt: 'Pay 1 with nothing.' }]).type).toBe('changed');
    const key = prepareRedaction();
    const here = { ...elsewhere, attributes: { [ATTR_REENACT_REDACTION_KEY]: key } };
    expect(compare(here, prompt(mine))).toEqual({ type: 'equal', unverified: [] });
    expect(compare(here, prompt(other)).type).toBe('changed');
  });

  it('is not unverified where what was redacted is declared volatile', () => {
    const canonical = CANONICAL_POLICIES.httpRequest.name;
    const request = { method: 'GET', headers: { 'x-tenant': 'one', 'x-session-token': 'hmac:abc' } };
    const other = { method: 'GET', headers: { 'x-tenant': 'one', 'x-session-token': 'plain' } };
    const recorded = { canonical, input: request, redacted: ['/input/headers/x-session-token'] };
    expect(compare(recorded, other)).toEqual({ type: 'equal', unverified: [] });
    const tenant = { ...recorded, redacted: ['/input/headers/x-tenant'] };
    expect(compare(tenant, request)).toEqual({ type: 'equal', unverified: ['/headers/x-tenant'] });
  });

  it('is fully compared where only the outcome was redacted', () => {
    expect(compare({ input, redacted: ['/output/secret'] }, input)).toEqual({ type: 'equal', unverified: [] });
  });
});

describe('an input of which only a digest was recorded', () => {
  const key = canonicalKey(CANONICAL_POLICIES.arguments, encodeValue(['one']).payload);
  const plan: Partial<CrossingPlan> = { without: [ATTR_REENACT_INPUT], attributes: { [ATTR_REENACT_KEY]: key } };

  it('is compared by its key', () => {
    expect(compare(plan, ['one']).type).toBe('equal');
    expect(compare(plan, ['two']).type).toBe('changed');
    const difference = new InputComparer().difference(recordedWith(plan), new LiveInput(encodeValue(['two'])));
    expect(difference.difference.entries[0]?.recorded).toContain(key);
  });
});

describe('an input that cannot be compared', () => {
  it('says why', () => {
    expect(compare({ without: [ATTR_REENACT_INPUT] }, [])).toMatchObject({ why: 'its input was not recorded' });
    expect(compare({ canonical: 'arguments/9' }, [])).toMatchObject({ why: expect.stringContaining('arguments/9') });
  });
});

describe('text that is JSON', () => {
  it('is not the same as the JSON', () => {
    const recorded = recordedWith({ input: [1] });
    const live = new LiveInput({ payload: payloadOf('text', '[1]'), lossy: [] });
    expect(new InputComparer().compare(recorded, live).type).toBe('changed');
  });
});
