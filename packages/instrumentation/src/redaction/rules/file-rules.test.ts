import { encodeValue } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept<Value>(value: Value): Value {
  return JSON.parse(comparableText(redactedValue(redactor, encodeValue(value)).payload.data ?? '', 'dropped')) as Value;
}

/** A text with a star in place of each token: as it is, in JSON inside a text, and in JSON inside of that. */
function keptTexts(text: string): string[] {
  const once = JSON.parse(kept({ content: JSON.stringify({ text }) }).content) as { text: string };
  const twice = JSON.parse(kept({ content: JSON.stringify({ body: JSON.stringify({ text }) }) }).content) as {
    body: string;
  };
  const texts = [kept({ text }), once, JSON.parse(twice.body) as { text: string }].map((found) => found.text);
  return texts.map((found) => found.replaceAll('[redacted]', '*'));
}

const line = 'AAAAgQDl3kF9x0oPq7Zr1sVtUwXyZ23456789abcdefghijklmnopqrstuvwxy12';
const header = `PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n${'P'.repeat(64)}\n`;
const teams = 'https://acme.webhook.office.com/webhookb2/';

describe('a file or a command, read by a tool', () => {
  it.each([
    ['machine b.example\n  login ada\n  password hunter2\nmachine c login bob password d9\n', 'hunter2', 'd9'],
    ['default login anonymous password hunter2', 'hunter2'],
    ['x\n\ndefault login ada account a password hunter2\n', 'hunter2'],
    ['localhost:5432:shop:ada:hunter2\ndb.b.example:5432:*:bob:s3cr3t\n', 'hunter2', 's3cr3t'],
    [`${header}Private-Lines: 2\n${line}\n${line.slice(9, 40)}\nPrivate-MAC: 8f0a\n`, line, line.slice(9, 40)],
    [`${header}Private-Lines: 1\r\n${line}\r\nPrivate-MAC: 8f0a\r\n`, line],
    ['curl -b "sid=abc123; theme=dark1" https://b.example/?a=bcd', 'abc123', 'dark1'],
    ["curl -sb 'sid=abc123' https://b.example", 'abc123'],
    ['curl https://b.example --cookie sid=abc123 -o a=bcd', 'abc123'],
    [
      `${teams}0a1b@2c3d/IncomingWebhook/0123456789abcdef0123/4e5f`,
      '0a1b@2c3d/IncomingWebhook/0123456789abcdef0123/4e5f',
    ],
    ['PRIVATE-TOKEN: abc_def-1\nX-Vault-Token: my-root1\nAccept: a/b1', 'abc_def-1', 'my-root1'],
    ['curl -H "Job-Token: abc_def-1" https://b.example', 'abc_def-1'],
    ['password: str = "hunter2"\nname: str = "ada"', 'hunter2'],
    [
      "let api_key: &'static str = \"hunter2\";\nconst token: string = 'a1b2c3d4e5f6a7b8c9';",
      'hunter2',
      'a1b2c3d4e5f6a7b8c9',
    ],
    ['secret: Optional[str] = "hunter2"\npin: str | None = \'4711\'', 'hunter2', '4711'],
    ['  ~ password = "hunter2" -> "hunter3"\n  ~ name     = "ada" -> "bob"', 'hunter2', 'hunter3'],
    ['  ~ "api_key" = (sensitive value) -> "hunter3"', 'hunter3'],
  ])('has no secret left, and all else: %j', (text, ...secrets) => {
    const wanted = secrets.reduce((left, secret) => left.replace(secret, '*'), text);
    expect(keptTexts(text)).toEqual([wanted, wanted, wanted]);
  });

  it.each([
    'The default login password is on the machine; login as ada, password unknown.',
    'machine learning login flow: a password manager. machine b login ada password $PASSWORD',
    'ports:\n  - "127.0.0.1:5432:5432"\nsrc/a.ts:5432:10: error TS2322 https://b.example:5432/a:b:c',
    'Private-Lines: see below',
    'curl -b cookies.txt -c jar.txt "https://b.example/?a=bcd"; ls -b a=bcd',
    'curl -b "sid=$SID; a=<value>" https://b.example',
    'PRIVATE-TOKEN: <your_access_token>\nprivate_token=token, X-Vault-Token: $VAULT_TOKEN',
    'identityToken: string = ""; password: string;\nfunction f(password: str = DEFAULT, a: str = "b")',
    '~ password = (sensitive value) -> (known after apply)\n~ tags = "a" -> "b"\nconst f = (password) => "x" -> "y"',
  ])('is left alone where it has none: %j', (text) => expect(keptTexts(text)).toEqual([text, text, text]));
});

it('FILE_RULES leave JSON as JSON, however the pieces of a text are put together', () => {
  const piece = fc.constantFrom(
    ...[
      'machine a ',
      'default ',
      'login b ',
      'password ',
      'c1d2',
      '\n',
      '\r\n',
      '"',
      "'",
      '\\',
      ' = ',
      ' -> ',
      ': str',
    ],
    ...['a:5432:b:c:', 'Private-Lines: 2\n', line, 'curl -b ', 'sid=abc123', '; ', 'PRIVATE-TOKEN: ', 'token'],
  );
  const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (given) => {
      expect(keptTexts(given)).toHaveLength(3);
    }),
    { numRuns: 500, examples: [["PRIVATE-TOKEN: 'machine a \\\\"], ['default login b password c1d2"']] },
  );
});
