import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** A value as it is kept, with a word in place of each token. */
function kept(value: unknown): unknown {
  return JSON.parse(comparableText(redactedValue(redactor, encodeValue(value)).payload.data ?? '', 'dropped'));
}

describe('a JSON schema', () => {
  it('keeps no value of a property that is named as a secret, wherever it gives one', () => {
    const type = 'string';
    const properties = {
      api_key: { type, description: 'The key.', default: 'hunter2x' },
      password: { anyOf: [{ type, const: 'open sesame' }, { type: 'null' }], examples: ['open sesame', 'shut sesame'] },
      secrets: { type: 'array', items: { type } },
      passphrase: { type: 'array', items: { type, example: 'open sesame' } },
      page_token: { type, default: 'first' },
      city: { type, default: 'hunter2x' },
    };
    expect(kept({ tools: [{ parameters: { type: 'object', properties } }] })).toEqual({
      tools: [
        {
          parameters: {
            type: 'object',
            properties: {
              ...properties,
              api_key: { ...properties.api_key, default: '[redacted]' },
              password: {
                anyOf: [{ type, const: '[redacted]' }, { type: 'null' }],
                examples: ['[redacted]', '[redacted]'],
              },
              passphrase: { type: 'array', items: { type, example: '[redacted]' } },
            },
          },
        },
      ],
    });
  });
});
