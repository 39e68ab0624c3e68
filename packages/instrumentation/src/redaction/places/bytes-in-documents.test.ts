import { payloadOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { redactedValue } from './redact-value.ts';

const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;
const keystore = Buffer.from('a key of the environment'.repeat(80)).toString('base64');
const redactor = new Redactor({
  options: {},
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
  known: [{ text: keystore, rule: 'environment' }],
});

function redacted(value: unknown): string {
  const { payload } = redactedValue(redactor, { payload: payloadOf('json', JSON.stringify(value)), lossy: [] });
  return payload.data ?? '';
}

describe('bytes in a document', () => {
  it('are searched in a member that recorded bytes are in, and a text that looks like base64 as both', () => {
    const bytes = Buffer.from([0xff, 0x00, ...Buffer.from(` ${secret} `)]).toString('base64');
    const found = JSON.parse(redacted({ body: { base64: bytes }, other: { base64: 'AKIAIOSFODNN7EXAMPLE' } }));
    expect(Buffer.from(found.body.base64, 'base64').toString('latin1')).toMatch(
      /^..\s\[redacted:openai-key:.{16}\]\**\s$/s,
    );
    expect(found.other.base64).toMatch(/^\[redacted:/);
  });

  it('do not hide what its name makes a secret, whatever the document says of its body', () => {
    const value = { contentType: 'application/x-protobuf', body: { password: 'hunter2-Zq9!x', note: `is ${secret}` } };
    const text = redacted(value);
    expect([text.includes('hunter2'), text.includes(secret)]).toEqual([false, false]);
  });

  it('do not hide a long secret of the environment that is base64 itself', () => {
    expect(redacted({ base64: keystore })).not.toContain(keystore.slice(0, 100));
  });
});
