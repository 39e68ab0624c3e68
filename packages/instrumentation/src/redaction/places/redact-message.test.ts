import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLANTED_SECRETS } from '../../testing/planted-secrets.ts';
import type { MessageNames } from '../messages/message-names.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedMessage } from './redact-message.ts';

const redactor = new Redactor({
  options: {},
  key: () => ({ id: 'test', bytes: Buffer.from('key'), source: 'process' }),
});

function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(Math.floor(value / 0x80))];
}

/** One length-delimited field. */
function field(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...numberBytes(number * 8 + 2), ...numberBytes(bytes.byteLength)]), bytes]);
}

/** A message as services send them: numbers, a nested message, bytes, and the text in between. */
function messageWith(text: string): Buffer {
  const inner = Buffer.concat([Buffer.from([0x08, 0x96, 0x01]), field(2, text), Buffer.from([0x1d, 0, 0, 0x80, 0x3f])]);
  return Buffer.concat([field(1, 'ACME'), field(3, inner), field(4, Buffer.from([0, 255, 1, 254])), field(5, text)]);
}

/** Where the text of `messageWith` stands the second time: at the end. */
function lastText(message: Uint8Array, length: number): string {
  return Buffer.from(message).subarray(-length).toString('latin1');
}

describe('a secret in a serialized message', () => {
  it.each(PLANTED_SECRETS.map(({ kind, ...planted }) => [kind, planted] as const))(
    'leaves no trace, and every byte beside it stays: %s',
    (_kind, { text, secret }) => {
      const message = messageWith(text);
      const kept = Buffer.from(redactedMessage(redactor, message) ?? message);
      expect(kept.toString('latin1')).not.toContain(secret);
      const token = lastText(kept, Buffer.byteLength(text));
      expect(kept.equals(messageWith(token))).toBe(true);
    },
  );

  it('is found whatever its length, though lengths before it look like letters and digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 120 }), (length) => {
        const secret = `sk-${'aB3dEf6hIj'.repeat(12)}`.slice(0, length);
        const message = messageWith(secret);
        expect(Buffer.from(redactedMessage(redactor, message) ?? message).toString('latin1')).not.toContain(secret);
      }),
    );
  });

  it('gives the same token each time, another for another secret, and none where there is none', () => {
    const [one, two] = ['a', 'b'].map((letter) => messageWith(`sk-${letter.repeat(3)}${'aB3dEf6hIj'.repeat(4)}`));
    expect(redactedMessage(redactor, one as Buffer)).toEqual(redactedMessage(redactor, one as Buffer));
    expect(redactedMessage(redactor, one as Buffer)).not.toEqual(redactedMessage(redactor, two as Buffer));
    expect(redactedMessage(redactor, messageWith('sell 1000 shares of ACME'))).toBeUndefined();
  });

  it('is found in messages that are JSON, and in bytes that are neither', () => {
    const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;
    const json = Buffer.from(JSON.stringify({ note: secret, password: 'hunter2-hunter2' }));
    const kept = JSON.parse(Buffer.from(redactedMessage(redactor, json) ?? []).toString()) as Record<string, string>;
    expect([kept.note?.length, kept.note, kept.password?.length]).toEqual([
      secret.length,
      expect.stringContaining('[redacted:'),
      15,
    ]);
    expect(kept.password).not.toBe('hunter2-hunter2');
    const neither = Buffer.concat([Buffer.from([0xff, 0, 7]), Buffer.from(secret), Buffer.from([0, 1])]);
    expect(Buffer.from(redactedMessage(redactor, neither) ?? neither).toString('latin1')).not.toContain(secret);
  });
});

describe('a message', () => {
  it('keeps its length, whatever its definition says, and its tokens stay what they are', () => {
    const entry: MessageNames = {
      name: 'Entry',
      isMapEntry: true,
      fields: new Map([
        [1, { name: 'key', holds: 'text' }],
        [2, { name: 'value', holds: 'bytes' }],
      ]),
    };
    const names: MessageNames = {
      name: 'Nested',
      isMapEntry: false,
      fields: new Map([
        [1, { name: 'password', holds: 'text' }],
        [2, { name: 'inner', holds: 'message', message: () => names }],
        [3, { name: 'headers', holds: 'message', message: () => entry }],
        [4, { name: 'lost', holds: 'message', message: () => undefined }],
      ]),
    };
    const text = fc.string({ maxLength: 60, size: 'max' }).map((content) => field(1, content));
    const nested = fc.letrec<{ message: Buffer }>((tie) => ({
      message: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.uint8Array({ maxLength: 40, size: 'max' }).map((bytes) => Buffer.from(bytes)),
        fc.tuple(fc.integer({ min: 1, max: 5 }), tie('message')).map(([number, inner]) => field(number, inner)),
        fc.tuple(tie('message'), tie('message')).map((parts) => Buffer.concat(parts)),
      ),
    })).message;
    fc.assert(
      fc.property(nested, (bytes) => {
        const once = redactedMessage(redactor, bytes, { names }) ?? bytes;
        expect(once.byteLength).toBe(bytes.byteLength);
        // What a replay served is redacted again: it must stay what it is.
        expect(redactedMessage(redactor, once, { names }) ?? once).toEqual(once);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps the length of any bytes and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), (bytes) => {
        expect((redactedMessage(redactor, bytes) ?? bytes).byteLength).toBe(bytes.byteLength);
      }),
      { numRuns: 500 },
    );
  });
});
