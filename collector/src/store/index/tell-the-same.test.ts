import type { UnknownFields } from '@reenact/otlp';
import { expect, it } from 'vitest';
import type { StoredItem } from '../store.ts';
import { tellTheSame } from './tell-the-same.ts';

const [TRACE_ID, SPAN_ID] = [
  [0x0a, 16, ...Buffer.alloc(16, 7)],
  [0x12, 8, ...Buffer.alloc(8, 8)],
];

function version(fields: readonly number[][], ofResource?: UnknownFields, ofScope?: UnknownFields): StoredItem {
  const group = (unknown: UnknownFields | undefined) => ({
    id: '',
    format: 'protobuf' as const,
    bytes: new Uint8Array(0),
    schemaUrl: '',
    ...(unknown === undefined ? {} : { unknown }),
  });
  return { format: 'protobuf', bytes: Buffer.from(fields.flat()), resource: group(ofResource), scope: group(ofScope) };
}

function unknown(group: string, request = ''): UnknownFields {
  return { group: Buffer.from(group), request: Buffer.from(request) };
}

it('compares the fields that OTLP does not know', () => {
  const [one, other] = [
    [TRACE_ID, SPAN_ID],
    [SPAN_ID, TRACE_ID],
  ] as [number[][], number[][]];
  const same = [version(one, unknown('a', 'b'), unknown('c')), version(other, unknown('a', 'b'), unknown('c'))];
  expect(tellTheSame([version(one), version(other)])).toBe(true);
  expect(tellTheSame(same)).toBe(true);
  const others = [
    version(one, unknown('a', 'b')),
    version(one, undefined, unknown('c')),
    version(one, unknown('ab'), unknown('c')),
    version(one, unknown('', 'ab'), unknown('c')),
    version(one, unknown('a'), unknown('bc')),
    version(one),
  ];
  for (const different of others) expect(tellTheSame([...same, different])).toBe(false);
});
