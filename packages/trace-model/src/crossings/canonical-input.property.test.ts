import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTrees } from '../json/json-diff.ts';
import { isTree } from '../json/json-tree.ts';
import { CANONICAL_POLICIES, type CanonicalPolicy, canonicalTree } from './canonical-input.ts';
import { isVolatileHeader } from './volatile-headers.ts';

/** Policies that recordings are made under today; those with a list of what they compare are kept for older ones only. */
const superseded = ['model-request/1', 'messages-request/1'];
/** Of a call that comes in, what its caller is told to send again is not compared; a foreign recording names what it holds. */
const listed = ['http-request/1', 'rpc-request/1', 'rpc-stream/1', 'semconv-messages/1'];

const whole = Object.values<CanonicalPolicy>(CANONICAL_POLICIES).filter(
  ({ name }) => !superseded.includes(name) && !listed.includes(name),
);

const member = fc.oneof(
  fc.constantFrom(
    'model',
    'messages',
    'metadata',
    'user',
    'method',
    'url',
    'contentType',
    'params',
    'target',
    'thinking',
  ),
  fc.string({ minLength: 1, maxLength: 12 }).filter((key) => key !== '__proto__' && key !== '$' && key !== 'headers'),
);
const input = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 8, noNullPrototype: true });

/** The members at which the canonical forms of two inputs differ. */
function differingMembers(policy: CanonicalPolicy, recorded: unknown, live: unknown): unknown[] {
  const differing = diffTrees(canonicalTree(policy, recorded), canonicalTree(policy, live));
  return differing.entries.map(({ path }) => path);
}

function pathOf(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `$.${key}` : `$[${JSON.stringify(key)}]`;
}

describe.each(whole.map((policy) => [policy.name, policy] as const))('%s', (_name, policy) => {
  it('leaves out nothing but what it declares volatile', () => {
    expect(policy.fields).toBeUndefined();
  });

  it('tells of any member that is another, and where, unless it is declared volatile', () => {
    fc.assert(
      fc.property(input, fc.nat(), fc.uuid(), (given, index, changed) => {
        const keys = Object.keys(given);
        const key = keys[index % keys.length] ?? '';
        const isDeclared = policy.volatile?.includes(key) === true;
        const found = differingMembers(policy, given, { ...given, [key]: changed });
        expect(found).toEqual(isDeclared ? [] : [pathOf(key)]);
      }),
    );
  });

  it('tells of any member that is added or missing', () => {
    fc.assert(
      fc.property(input, member, fc.uuid(), (given, key, added) => {
        const { [key]: _taken, ...rest } = given;
        const expected = policy.volatile?.includes(key) === true ? [] : [pathOf(key)];
        expect(differingMembers(policy, rest, { ...rest, [key]: added })).toEqual(expected);
        expect(differingMembers(policy, { ...rest, [key]: added }, rest)).toEqual(expected);
      }),
    );
  });

  it('tells of a value that is another far down', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.uuid(), (beside, changed) => {
        const deep = (value: unknown): object => ({ kept: beside, deep: [{ down: { value } }, beside] });
        expect(differingMembers(policy, deep('before'), deep(changed))).toEqual(['$.deep[0].down.value']);
      }),
    );
  });
});

describe.each([
  ['headers', CANONICAL_POLICIES.httpRequest],
  ['metadata', CANONICAL_POLICIES.rpcRequest],
] as const)('%s of a request that goes out', (place, policy) => {
  const name = fc.oneof(
    fc.constantFrom(
      'accept',
      'x-tenant',
      'anthropic-beta',
      'if-match',
      'range',
      'prefer',
      'authorization',
      'user-agent',
    ),
    fc.stringMatching(/^[a-z][a-z0-9-]{0,15}$/).filter((text) => text !== 'constructor'),
  );

  it('are compared one by one, unless they are declared volatile', () => {
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.string(), { noNullPrototype: true }),
        name,
        fc.uuid(),
        (given, header, value) => {
          const { [header]: _taken, ...rest } = given;
          const recorded = { method: 'GET', [place]: rest };
          const found = differingMembers(policy, recorded, { method: 'GET', [place]: { ...rest, [header]: value } });
          expect(found).toEqual(isVolatileHeader(header) ? [] : [`$.${place}${pathOf(header).slice(1)}`]);
        },
      ),
    );
  });
});

describe('a policy for older recordings', () => {
  it.each(superseded)('%s is not what new ones are made under', (name) => {
    const found = Object.values<CanonicalPolicy>(CANONICAL_POLICIES).filter((policy) => policy.name === name);
    expect(found).toHaveLength(1);
    const base = name.split('/')[0];
    expect(whole.some((policy) => policy.name === `${base}/2`)).toBe(true);
    expect(isTree(canonicalTree(found[0] ?? { name }, { model: 'm' }))).toBe(true);
  });
});
