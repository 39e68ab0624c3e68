import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept(value: unknown): string {
  return redactedValue(redactor, encodeValue(value)).payload.data ?? '';
}

const accessKey = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
const signed = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'].join('.');
const machineMade = '9f86d081884c7d659a2feaa0c55ad015';

describe('what a named value holds beside a secret that is known by its form', () => {
  it.each([
    ['a signature', `Authorization: AWS4-HMAC-SHA256 Credential=${accessKey}/20261130/eu/s3, Signature=${machineMade}`],
    ['another cookie', `Cookie: id=${signed}; acme=${machineMade}`],
    ['a cookie before it', `set-cookie: acme=${machineMade}; next=${signed}; Path=/`],
    ['the rest of a password', `{"password":"${accessKey}-${machineMade}"}`],
  ])('is replaced, too: %s', (_what, text) => {
    const found = kept({ log: text });
    expect(found).not.toContain(machineMade);
    expect(found).not.toContain(accessKey);
    expect(found).not.toContain(signed);
  });

  it('stays where anybody could guess it', () => {
    const found = kept({
      log: `Cookie: id=${signed}; Path=/; Max-Age=3600; SameSite=Lax\nAuthorization: Bearer ${signed}`,
    });
    expect(found).toMatch(
      /Cookie: id=\[redacted:jwt:\w+\]; Path=\/; Max-Age=3600; SameSite=Lax\\nAuthorization: Bearer \[redacted:jwt:\w+\]/,
    );
  });
});

describe('a token that is encrypted, or not of JSON', () => {
  const part = (length: number): string => machineMade.repeat(Math.ceil(length / 32)).slice(0, length);
  const [direct, wrapped] = [
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0',
    'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ',
  ];

  it.each([
    ['one whose key is agreed on', [direct, '', part(16), part(200), part(22)].join('.')],
    ['one with its key', [wrapped, part(342), part(16), part(200), part(22)].join('.')],
    ['one of PASETO', `v4.local.${part(20)}-_${part(120)}`],
    ['one of PASETO with a footer', `v2.public.${part(150)}.${part(20)}`],
  ])('is replaced: %s', (_what, token) => {
    expect(kept({ log: `session ${token} of bob` })).toMatch(/"session \[redacted:(?:jwt|paseto):\w+\] of bob"/);
  });
});

describe('keys of functions, applications and the like', () => {
  it.each(['X-Auth-Key', 'x-functions-key', 'DD-APPLICATION-KEY', 'Fastly-Key', 'X-Insert-Key'])(
    'are replaced where they look made by a machine: %s',
    (name) => {
      expect(kept({ [name]: machineMade })).not.toContain(machineMade);
      expect(kept(`${name}: ${machineMade}\n{"${name}":"${machineMade}"}`)).not.toContain(machineMade);
    },
  );

  it('are names where they do not', () => {
    expect(kept({ applicationKey: 'jira-software', insertKey: 'Enter' })).toBe(
      '{"applicationKey":"jira-software","insertKey":"Enter"}',
    );
  });
});
