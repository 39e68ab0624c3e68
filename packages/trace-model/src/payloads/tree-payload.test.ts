import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanonicalPolicy, semconvMessagesPolicy } from '../crossings/canonical-input.ts';
import {
  canonicalKey,
  canonicalPolicy,
  hasContent,
  isIntact,
  payloadOf,
  payloadOfTree,
  payloadTree,
  sharedTreeOf,
} from '../index.ts';

/** Trees that JSON does not write as they are, too. */
const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, -0, '\ud800', new Date(0), [], {}),
);
const trees = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('object')),
  list: fc.oneof(fc.array(tie('tree'), { maxLength: 4 }), fc.sparseArray(tie('tree'), { maxNumElements: 2 })),
  object: fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', '1', 'messages', 'role')),
    tie('tree'),
    { maxKeys: 4 },
  ),
}));
const objects = trees.object as fc.Arbitrary<object>;

function nested(depth: number): object {
  let tree: object = [];
  for (let level = 1; level < depth; level += 1) tree = [tree];
  return tree;
}

describe('a payload that is made of a tree', () => {
  it('is one of its text, whoever looks at it and however', () => {
    fc.assert(
      fc.property(objects, (tree) => {
        const ofText = payloadOf('json', JSON.stringify(tree));
        const { digest, data } = payloadOfTree(tree);
        expect({ digest, data }).toEqual({ digest: ofText.digest, data: ofText.data });
        expect({ ...payloadOfTree(tree) }).toEqual({ format: 'json', data });
        expect(JSON.parse(JSON.stringify(payloadOfTree(tree)))).toEqual({ format: 'json', data });
        expect(structuredClone(payloadOfTree(tree))).toEqual({ format: 'json', data });
        expect(isIntact(payloadOfTree(tree))).toBe(true);
        expect(hasContent(payloadOfTree(tree))).toBe(true);
      }),
    );
  });

  it('gives the tree it was made of only where reading its text gives the same', () => {
    fc.assert(
      fc.property(objects, (tree) => {
        const payload = payloadOfTree(tree);
        const shared = sharedTreeOf(payload);
        const read: unknown = JSON.parse(payload.data ?? '');
        if (shared !== undefined) expect(shared).toStrictEqual(read);
        expect(payloadTree(payload)).toStrictEqual(read);
      }),
    );
    const tree = { messages: [{ role: 'user', parts: [] }], n: 1 };
    expect(sharedTreeOf(payloadOfTree(tree))).toBe(tree);
  });

  it('has the match key of its text', () => {
    const policies = ['arguments/1', 'model-request/2', 'http-request/2'].map(canonicalPolicy) as CanonicalPolicy[];
    const policy = fc.constantFrom(...policies, semconvMessagesPolicy(['messages', 'role']));
    fc.assert(
      fc.property(objects, policy, (tree, rule) => {
        const payload = payloadOfTree(tree);
        const shared = sharedTreeOf(payload);
        const readTree = () => shared ?? payloadTree(payload);
        expect(canonicalKey(rule, payload, readTree)).toBe(canonicalKey(rule, payloadOf('json', JSON.stringify(tree))));
      }),
    );
  });

  it('is written at once where it is nested deep, and tells where it cannot be', () => {
    const shallow = nested(256);
    expect(sharedTreeOf(payloadOfTree(shallow))).toBe(shallow);
    const deep = payloadOfTree(nested(257));
    expect(sharedTreeOf(deep)).toBeUndefined();
    expect(deep.data).toBe(`${'['.repeat(257)}${']'.repeat(257)}`);
    expect(() => payloadOfTree(nested(200_000))).toThrow(RangeError);
  });

  it('has no content where a payload says nothing but its digest', () => {
    expect(hasContent({ format: 'json', digest: payloadOf('json', '1').digest })).toBe(false);
    expect(hasContent(payloadOf('json', '1'))).toBe(true);
  });
});

describe('a rebuilt request', () => {
  it('has the match key of its text, where other requests have some of its messages, too', () => {
    const answer = fc.oneof(
      objects,
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    const part = fc.record(
      {
        type: fc.constantFrom('text', 'refusal', 'tool_call', 'tool_call_response', 'blob', 'other'),
        content: fc.oneof(fc.constantFrom('', 'said'), fc.string()),
        id: fc.string(),
        arguments: answer,
        response: answer,
      },
      { requiredKeys: ['type'] },
    );
    const role = fc.constantFrom('user', 'assistant', 'tool', 'developer');
    const message = fc.record(
      { role, parts: fc.array(part, { maxLength: 3 }), name: fc.string() },
      { requiredKeys: ['parts'] },
    );
    const tools = fc.option(fc.array(objects, { maxLength: 2 }), { nil: undefined });
    const rule = semconvMessagesPolicy(['model', 'messages', 'tools']);
    fc.assert(
      fc.property(fc.array(fc.oneof(message, leaf)), tools, (messages, given) => {
        for (const count of [1, messages.length, messages.length]) {
          const request = {
            model: 'example',
            messages: messages.slice(0, count),
            ...(given === undefined ? {} : { tools: given }),
          };
          const key = canonicalKey(rule, payloadOf('json', JSON.stringify(request)));
          expect(canonicalKey(rule, payloadOfTree(request))).toBe(key);
        }
      }),
    );
  });
});
