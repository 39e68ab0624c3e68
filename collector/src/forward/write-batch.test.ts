import { expect, it } from 'vitest';
import type { StoredItem } from '../store/store.ts';
import { writtenItem } from './write-batch.ts';

const group = { id: '1', format: 'json', bytes: new Uint8Array(0), schemaUrl: '' } as const;

function itemOf(bytes: Uint8Array): StoredItem {
  return { format: 'json', bytes, resource: group, scope: group };
}

it('calls no item unwritable for which there is no memory now: it would be settled and never sent', () => {
  const bytes = Object.defineProperty(new Uint8Array(2), 'buffer', {
    get: () => new ArrayBuffer(Number.MAX_SAFE_INTEGER),
  });
  for (const signal of ['traces', 'logs'] as const)
    expect(() => writtenItem(signal, itemOf(bytes), 'full')).toThrow('Array buffer allocation failed');
});

it('calls one so whose text is not what it should be', () => {
  for (const text of ['{', '[]', '{"name":1}', '{"startTimeUnixNano":1.5}'])
    expect(writtenItem('traces', itemOf(Buffer.from(text)), 'full')).toMatchObject({ ok: false });
});
