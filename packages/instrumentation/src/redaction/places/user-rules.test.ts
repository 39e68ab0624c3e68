import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { comparableText } from '../redactor/comparable-text.ts';
import { environmentSecrets } from '../redactor/environment-secrets.ts';
import { optionsOfEnvironment, type RedactionOptions } from '../redactor/redaction-options.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedChunks, redactedValue } from './redact-value.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;

/** A value as it is kept, with a word in place of each token. */
function kept(options: RedactionOptions, value: unknown, environment: NodeJS.ProcessEnv = {}): unknown {
  const redactor = new Redactor({ options, key: () => key, known: environmentSecrets(environment) });
  const { payload } = redactedValue(redactor, encodeValue(value));
  return JSON.parse(comparableText(payload.data ?? '', 'dropped'));
}

const why = 'A test.';

describe('a rule of the user', () => {
  it('finds by path, everything below it, numbers too', () => {
    const rules = [
      { id: 'card', why, path: 'cards.*.number' },
      { id: 'person', why, path: 'customer' },
    ];
    const value = { order: { cards: [{ number: 12, kind: 'x' }], customer: { name: 'Ada', tags: ['a'] } }, number: 12 };
    expect(kept({ rules }, value)).toEqual({
      order: {
        cards: [{ number: '[redacted]', kind: 'x' }],
        customer: { name: '[redacted]', tags: ['[redacted]'] },
      },
      number: 12,
    });
  });

  it('finds by pattern and by code, in the middle of texts', () => {
    const rules = [
      { id: 'ticket', why, pattern: /TCK-\d{6}/ },
      {
        id: 'note',
        why,
        find: (text: string, path: readonly string[]) => (path.at(-1) === 'note' ? [text.slice(0, 3)] : []),
      },
    ];
    expect(kept({ rules }, { a: 'see TCK-123456, TCK-1', note: 'Ada said', other: 'Ada' })).toEqual({
      a: 'see [redacted], TCK-1',
      note: '[redacted] said',
      other: 'Ada',
    });
  });

  it('is refused where it has no usable id or finds nothing by design', () => {
    for (const rule of [
      { id: 'No Good', why, path: 'a' },
      { id: 'empty', why },
    ]) {
      expect(() => new Redactor({ options: { rules: [rule] }, key: () => key })).toThrow(
        expect.objectContaining({ code: 'bad-argument' }),
      );
    }
  });

  it('comes out of the environment, too', () => {
    const options = optionsOfEnvironment({
      REENACT_REDACTION: 'off',
      REENACT_REDACT_PATHS: 'customer.name, cards.*.number',
      REENACT_REDACT_PATTERN: 'TCK-\\d{6}',
      REENACT_REDACT_PERSONAL: 'email',
    });
    const value = { customer: { name: 'Ada' }, text: 'TCK-123456 of ada@example.com', password: 'hunter2-hunter2' };
    expect(kept(options, value)).toEqual({
      customer: { name: '[redacted]' },
      text: '[redacted] of [redacted]',
      password: 'hunter2-hunter2',
    });
  });
});

describe('a rule of the environment that cannot be used', () => {
  it.each([
    ['REENACT_REDACT_PATTERN', 'TCK-(', 'is no regular expression'],
    ['REENACT_REDACT_PERSONAL', 'email,iban', 'has "iban"'],
    ['REENACT_REDACT_PATHS', 'customer.name,$.cards.number', 'has "$.cards.number"'],
    ['REENACT_REDACT_PATHS', 'cards[*].number', 'has "cards[*].number"'],
  ])('is told by its name: %s=%s', (variable, value, reason) => {
    expect(() => optionsOfEnvironment({ [variable]: value })).toThrow(
      expect.objectContaining({ code: 'bad-config', message: expect.stringContaining(`${variable} ${reason}`) }),
    );
  });

  it('is told with all others that cannot be used: who mended the first would else be told of the next only then', () => {
    const environment = { REENACT_REDACT_PATTERN: '(', REENACT_REDACT_PERSONAL: 'iban', REENACT_REDACT_PATHS: '$.a' };
    const where = 'REENACT_REDACT_PERSONAL, REENACT_REDACT_PATHS, REENACT_REDACT_PATTERN';
    expect(() => optionsOfEnvironment(environment)).toThrow(
      expect.objectContaining({
        code: 'bad-config',
        where,
        message: expect.stringMatching(/"iban".*"\$\.a".*regular/),
      }),
    );
  });

  it('is none where a member has such a name', () => {
    expect(optionsOfEnvironment({ REENACT_REDACT_PATHS: '$ref.name,form.a[b]' }).rules).toHaveLength(2);
  });
});

describe('what is found besides', () => {
  const value = { text: 'ask ada@example.com or +49 30 901820, card 4111 1111 1111 1111' };

  it('is personal data where it is asked for, and no default rule that is not wanted', () => {
    expect(kept({}, value)).toEqual({ text: 'ask ada@example.com or +49 30 901820, card [redacted]' });
    expect(kept({ personal: ['email', 'phone'], without: ['payment-card'] }, value)).toEqual({
      text: 'ask [redacted] or [redacted], card 4111 1111 1111 1111',
    });
  });

  it('leaves JSON inside a text as such where it begins a line there', () => {
    const options: RedactionOptions = {
      personal: ['email'],
      rules: [{ id: 'own', why: 'test', pattern: /\w+-internal/ }],
    };
    const content = JSON.stringify({ out: 'to\nnina@example.com\nnew-internal\nend' });
    const { content: left } = kept(options, { content }) as { readonly content: string };
    expect(JSON.parse(left)).toEqual({ out: 'to\n[redacted]\n[redacted]\nend' });
  });

  it('is the value of a variable that is named like a secret, wherever it turns up', () => {
    const environment = { DB_PASSWORD: 'plum-Orchard-9', HOME: '/home/plum-Orchard-10', GREETING_TOKEN: 'hello' };
    const said = { log: 'tried plum-Orchard-9 at /home/plum-Orchard-10, hello', nested: ['xplum-Orchard-9x'] };
    expect(kept({}, said, environment)).toEqual({
      log: 'tried [redacted] at /home/plum-Orchard-10, hello',
      nested: ['x[redacted]x'],
    });
    const quoted = { API_SECRET: 'a"quoted\\one' };
    expect(kept({}, { log: 'x a"quoted\\one' }, quoted)).toEqual({ log: 'x [redacted]' });
  });

  it('are found with the spaces and lines in them, without those around them', () => {
    const environment = {
      MY_API_TOKEN: 'env secret value 9931',
      DB_PASSWORD: 'plum-Orchard-9\n',
      APP_SECRET: 'correct horse battery staple',
      SIGNING_KEY: 'line one of 2\nline two',
      OTHER_SECRET: 'some words',
    };
    const said = {
      args: ['x', 'say env secret value 9931 now', 'plum-Orchard-9'],
      log: 'correct horse battery staple, line one of 2\nline two, some words',
    };
    expect(kept({}, said, environment)).toEqual({
      args: ['x', 'say [redacted] now', '[redacted]'],
      log: '[redacted], [redacted], some words',
    });
  });

  it('are found with spaces in them in a stream, wherever one piece ends and the next begins', () => {
    const [secret, whole] = ['env secret value 9931', 'the word is env secret value 9931 and more'];
    const known = environmentSecrets({ MY_API_TOKEN: secret });
    const redactor = new Redactor({ options: {}, key: () => key, known });
    for (let cut = 1; cut < whole.length; cut += 1) {
      const pieces = [whole.slice(0, cut), whole.slice(cut)].map((delta, offsetUs) => ({
        offsetUs,
        value: encodeValue({ delta }),
      }));
      const data = redactedChunks(redactor, pieces).map(({ value }) => value.payload.data ?? '');
      const text = data.map((piece) => (JSON.parse(piece) as { delta: string }).delta).join('');
      expect(text).toMatch(/^the word is \[redacted:environment-secret:[0-9a-f]{16}\] and more$/);
    }
  });
});
