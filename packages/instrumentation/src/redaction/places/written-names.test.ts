import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { editedText } from '../text/text-edit.ts';
import { bodyEdits } from './redact-body.ts';

const redactor = new Redactor({
  options: {},
  known: [{ text: 'p4$$w<r>d&x', rule: 'environment' }],
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});
const token = '[redacted]';

/** The text without its secrets, as a text, a body and in JSON inside a text; tokens are all the same. */
function searched(text: string): string[] {
  const plain = (found: string): string => found.replaceAll(/\[redacted:[^\]]+\]/g, token);
  const inJson = JSON.parse(redactor.text(JSON.stringify({ note: text }))) as { note: string };
  return [redactor.text(text), editedText(text, bodyEdits(redactor, text, '')), inJson.note].map(plain);
}

describe('XML', () => {
  it.each([
    ['<Credentials><SessionToken>', 'FwoGZXIvYXdzEBYaDKz9', '</SessionToken></Credentials>'],
    ['<Credentials><SecretAccessKey>', 'wJalrXUtnFEMIK7MDENG', '</SecretAccessKey></Credentials>'],
    ['<wsse:Password Type="text">', 'hunter2', '</wsse:Password>'],
    ['<password>  ', 'hunter2 and more', '  </password>'],
    ['<password><![CDATA[', 'hunter2', ']]></password>'],
    ['<api-key>', 'a1b2c3', '</api-key>'],
    ['<user name="ada" password="', 'hunter2', '"/>'],
    ['<Url>https://b.example/k?X-Amz-Expires=9&amp;X-Amz-Signature=', 'ab12'.repeat(16), '&amp;x=1</Url>'],
    ['<note>it is ', 'p4$$w&lt;r&gt;d&amp;x', '</note>'],
  ])('has no secret left in %s…', (before, secret, after) => {
    const expected = `${before}${token}${after}`;
    expect(searched(`${before}${secret}${after}`)).toEqual([expected, expected, expected]);
  });

  it.each([
    '<NextContinuationToken>1ueGcxLPRx1Tr</NextContinuationToken>',
    '<NextContinuationToken>8b2579f4332f466805d30651b9d6a927</NextContinuationToken>',
    '<NextContinuationToken>Vq7/tRk2Wz0bXp5sLm9GhYc3NdQe8UaJf4TiEo6KvB1=</NextContinuationToken>',
    '<Secret><Name>one</Name></Secret>',
    '<password/>',
    '<password>string</password>',
    '<Token>comma</Token>',
    'Answer in <password> and </password>, please',
    'if (a <password> b) {}',
  ])('is left alone where it names none: %s', (text) => {
    expect(searched(text)).toEqual([text, text, text]);
  });

  it('is searched in linear time', () => {
    const opened = '<password>'.repeat(50_000);
    const before = process.cpuUsage();
    const spaced = `<a${' '.repeat(100_000)}`.repeat(3);
    redactor.text(`${opened}</a>${spaced}`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});

describe('a name without quotes before a value that has them', () => {
  it.each([`{ user: "ada", password: "hunter2" }`, `db:\n  password: 'hunter2'`, `API_KEY : "hunter2",`])(
    'is one all the same: %s',
    (text) => {
      const expected = text.replace('hunter2', token);
      expect(searched(text)).toEqual([expected, expected, expected]);
    },
  );

  it.each([`tokens: "a few"`, `{ password: "string" }`, `token: 'comma'`])(
    'needs to be one of a secret: %s',
    (text) => {
      expect(searched(text)).toEqual([text, text, text]);
    },
  );
});

describe('a text in quotes that ends with a name', () => {
  const labels = ['Password:', 'my password: ', 'https://b.example/x?token=', '<password>'];
  const documents = labels.flatMap((label) => [
    { label, user: 'bob' },
    [label, 12345, { user: 'bob' }],
    [{ label }, { user: '</password>' }],
    { in: { label }, n: 1 },
  ]);

  it.each(documents.map((document) => [document]))('has no secret in what stands behind it: %j', (document) => {
    for (const space of [0, 2]) {
      const json = JSON.stringify(document, null, space);
      const texts = [`gave ${json} and then "more"`, `<input placeholder="${json}"/><input id="a">`];
      for (const text of texts) expect(searched(text)).toEqual([text, text, text]);
    }
  });

  it('is what a tag may have, and code', () => {
    const text = `<input placeholder="Password:"><label for="a">, label: 'Password:', value: 'hunter2', "token: " + "a"`;
    expect(searched(text)).toEqual([text, text, text]);
  });
});

describe('quotes that JSON escapes', () => {
  it.each(['DB_PASSWORD="hunter2"', 'password = "hunter2"', "export API_KEY='hunter2'"])(
    'are no reason to overlook what they hold: %s',
    (text) => {
      const expected = text.replace('hunter2', token);
      expect(searched(text)).toEqual([expected, expected, expected]);
    },
  );
});

describe('a date of three short numbers', () => {
  it('is a password all the same, where a version of a package is none', () => {
    const text = `{ "password": "24.12.99", "cookie": "0.7.2" }`;
    const expected = text.replace('24.12.99', token);
    expect(searched(text)).toEqual([expected, expected, expected]);
  });
});

describe('a name before `=>`', () => {
  it.each(['{:user=>"ada", :password=>"hunter2"}', "password => 'hunter2',"])('is one: %s', (text) => {
    const expected = text.replace('hunter2', token);
    expect(searched(text)).toEqual([expected, expected, expected]);
  });
});

describe('code that names a secret and has none', () => {
  it.each([
    'type Kind = { password: "hidden" | "shown" }',
    'const apiKey = process.env.API_KEY; this.password = config["password"]',
    'const secret = await secrets.read(name), password = new Password(1)',
    '{ "dependencies": { "cookie": "^0.7.1" } }',
  ])('is left alone: %s', (text) => {
    expect(searched(text)).toEqual([text, text, text]);
  });
});

describe('what an apostrophe begins', () => {
  it.each(["password: 'hello1", "password='hello1"])('ends with the string of JSON that it is in: %s', (text) => {
    for (const space of [0, 2]) {
      const json = JSON.stringify({ note: text, n: [1, "it's", { a: 'b' }] }, null, space);
      for (const written of [json, JSON.stringify({ json })]) {
        const expected = written.replace('hello1', token);
        expect(redactor.text(`gave ${written} at last`).replaceAll(/\[redacted:[^\]]+\]/g, token)).toBe(
          `gave ${expected} at last`,
        );
      }
    }
  });
});

describe('a value that JSON escapes', () => {
  it.each(['a"b-secret', 'C:\\secret', 'a\\"b\\'])('has the same token with words around its JSON: %s', (secret) => {
    const [own] = /\[redacted:[^\]]+\]/.exec(redactor.text(JSON.stringify({ password: secret }))) ?? [];
    const json = JSON.stringify({ password: secret });
    expect(redactor.text(`gave ${json} at last`)).toBe(`gave {"password":"${own}"} at last`);
    const inside = JSON.stringify({ json });
    expect(redactor.text(`gave ${inside} at last`)).toBe(`gave {"json":"{\\"password\\":\\"${own}\\"}"} at last`);
  });
});
