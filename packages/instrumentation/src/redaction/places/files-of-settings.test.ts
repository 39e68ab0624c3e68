import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedValue } from './redact-value.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** A value as it is kept, with a word in place of each token. */
function kept<Value>(value: Value): Value {
  return JSON.parse(comparableText(redactedValue(redactor, encodeValue(value)).payload.data ?? '', 'dropped')) as Value;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pem = [
  '-----BEGIN RSA',
  ' PRIVATE KEY-----\n',
  `${'MIIEvQIBADANBgkq'.repeat(4)}\n`.repeat(3),
  '-----END RSA PRIVATE KEY-----\n',
].join('');

describe('a file of settings, read by a tool', () => {
  it.each([
    [
      'DB_PASS=correct9\nMYSQL_PWD=hunter2\nPWD=/home/bob/app\nOLDPWD=/root',
      'DB_PASS=*\nMYSQL_PWD=*\nPWD=/home/bob/app\nOLDPWD=/root',
    ],
    ['DB_PASSWORD=hunter2(x)\nDB_HOST=db', 'DB_PASSWORD=*(x)\nDB_HOST=db'],
    [
      'SECRET_KEY_BASE=9f8e7d6c5b4a\nRAILS_MASTER_KEY=0123abcd\nTESTS_PASS=12',
      'SECRET_KEY_BASE=*\nRAILS_MASTER_KEY=*\nTESTS_PASS=12',
    ],
    ['APP_KEY=base64:Q1w2e3r4t5y6u7i8o9p0aSdFgHjK=\nCACHE_KEY=users', 'APP_KEY=*\nCACHE_KEY=users'],
    [
      '  + password             = "hunter2"\n  + username             = "bob"',
      '  + password             = "*"\n  + username             = "bob"',
    ],
    [
      "define( 'DB_PASSWORD', 'sword!' );\ndefine('DB_HOST', 'db');",
      "define( 'DB_PASSWORD', '*' );\ndefine('DB_HOST', 'db');",
    ],
    ["CREATE USER 'j'@'%' IDENTIFIED BY 'word';", "CREATE USER 'j'@'%' IDENTIFIED BY '*';"],
    ["ALTER ROLE j WITH PASSWORD 'word';", "ALTER ROLE j WITH PASSWORD '*';"],
    ['run --max-token 4096 --api-token ab12cd', 'run --max-token 4096 --api-token *'],
    ["os.environ['API_KEY'] = 'abc-1'", "os.environ['API_KEY'] = '*'"],
    [
      '- name: DB_PASSWORD\n  value: swordfish\n- name: PORT\n  value: "80"',
      '- name: DB_PASSWORD\n  value: *\n- name: PORT\n  value: "80"',
    ],
    ['- name: DB_PASSWORD\n  value: swordfish', '- name: DB_PASSWORD\n  value: *'],
    ['name = "API_KEY"\nvalue = "swordfish"', 'name = "API_KEY"\nvalue = "*"'],
    [`client-key-data: ${base64(pem)}\ncontext: x`, 'client-key-data: *\ncontext: x'],
    [`key is ${base64(pem).replace(/.{76}/g, '$&\n')}\nend`, 'key is *\nend'],
    [`key is ${base64(pem)}\nend`, 'key is *\nend'],
    [`certificate-authority-data: ${base64('-----BEGIN CERTIFICATE-----\n')}`, undefined],
    ['Authorization: Basic YWE6YmI=', 'Authorization: Basic *'],
  ])('keeps no secret of it, and all else: %j', (text, wanted) => {
    const stars = (out: string): string => out.replaceAll('[redacted]', '*');
    expect(stars(kept({ out: text }).out)).toBe(wanted ?? text);
    const { content } = kept({ content: JSON.stringify({ out: text }) });
    expect(stars((JSON.parse(content) as { out: string }).out)).toBe(wanted ?? text);
  });
});

describe('a value of JSON beside its name', () => {
  it.each([
    [
      { auth: { user: 'bob', pass: 'hunter2' }, pass: 'PASS' },
      { auth: { user: 'bob', pass: '*' }, pass: 'PASS' },
    ],
    [
      { pass: 1523, fail: 0 },
      { pass: 1523, fail: 0 },
    ],
    [{ auths: { 'a.io': { auth: base64('joe:short') } } }, { auths: { 'a.io': { auth: '*' } } }],
    [
      [
        { value: 'swordfish', name: 'API_KEY' },
        { value: 'open', name: 'DOOR' },
      ],
      [
        { value: '*', name: 'API_KEY' },
        { value: 'open', name: 'DOOR' },
      ],
    ],
    [
      { Name: '/prod/db/password', Type: 'SecureString', Value: 'word' },
      { Name: '/prod/db/password', Type: 'SecureString', Value: '*' },
    ],
    [{ db_password: { value: 'swordfish', sensitive: true } }, { db_password: { value: '*', sensitive: true } }],
    [
      { SecretString: 'plain', VersionId: 'v' },
      { SecretString: '*', VersionId: 'v' },
    ],
  ])('keeps no secret of its JSON, and all else: %j', (value, wanted) => {
    const asWanted = JSON.parse(JSON.stringify(wanted).replaceAll('"*"', '"[redacted]"')) as unknown;
    expect(kept(value)).toEqual(asWanted);
    expect(JSON.parse(kept({ content: JSON.stringify(value) }).content)).toEqual(asWanted);
  });
});

describe('a Secret of Kubernetes', () => {
  const data = { 'config.yaml': base64('a: b'), user: base64('admin') };

  it('keeps none of its values, whatever they are called', () => {
    const [secret, map] = ['Secret', 'ConfigMap'].map((kind) => ({
      apiVersion: 'v1',
      data: { ...data },
      kind,
      type: 'Opaque',
    }));
    const hidden = { ...secret, data: { 'config.yaml': '[redacted]', user: '[redacted]' } };
    expect(kept({ items: [secret, map] })).toEqual({ items: [hidden, map] });
    expect(JSON.parse(kept({ out: JSON.stringify([secret, map]) }).out)).toEqual([hidden, map]);
  });

  it('keeps none of them in YAML, and all that is around them', () => {
    const yaml = (value: string, multiline: string): string =>
      `apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    config.yaml: ${value}\n    notes: |\n      ${multiline}\n  kind: Secret\n  metadata:\n    name: db\n` +
      `- apiVersion: v1\n  data:\n    config.yaml: plain\n  kind: ConfigMap\n---\nkind: Secret\nstringData:\n  door: "${value}"\ntype: Opaque\n`;
    const token = '[redacted]';
    expect(kept({ out: yaml('open', 'word') }).out).toBe(yaml(token, token));
    const first = (value: string): string => `kind: Secret\nstringData:\n  door: ${value}`;
    expect(JSON.parse(kept({ content: JSON.stringify({ out: first('open') }) }).content)).toEqual({
      out: first(token),
    });
    const { out } = JSON.parse(kept({ content: JSON.stringify({ out: yaml('open', 'word') }) }).content) as {
      out: string;
    };
    expect(out).toBe(yaml(token, token));
  });
});

describe('a value that looks like none', () => {
  it.each([
    ['credentials', '{"user":"bob","key":"hunter2"}'],
    ['password', '{hunter2!}'],
    ['password', '~/hunter2!'],
    ['cookie', '/app/a; session=abcdef'],
  ])('is kept as no member called %s: %s', (name, value) => {
    expect(kept({ [name]: value })).toEqual({ [name]: '[redacted]' });
  });

  it.each([
    [`Basic ${base64('sk_test_4eC39HqLyjWD:')}`, 'Basic [redacted]'],
    [`Basic ${base64(':abcdefghijklmnop')}`, 'Basic [redacted]'],
    [`Basic ${base64(`AWS:${'aB3d'.repeat(400)}`)}`, 'Basic [redacted]'],
    ['Server=db;Password=Tr0ub4dor(3);', 'Server=db;Password=[redacted](3);'],
    ['x-api-key: `swordfish`', 'x-api-key: [redacted]'],
  ])('is kept in no text: %s', (text, wanted) => expect(kept({ text })).toEqual({ text: wanted }));

  it('is a text of JSON where it was a number of it', () => {
    const { content } = kept({ content: '{"name": "DB_PASSWORD", "value": 123456}' });
    expect(JSON.parse(content)).toEqual({ name: 'DB_PASSWORD', value: '[redacted]' });
  });

  it('takes linear time in a Secret of Kubernetes', () => {
    const out = `kind: Secret\ndata:\n  door: a${' '.repeat(400_000)}b\n`;
    const before = process.cpuUsage();
    expect(kept({ out }).out).toBe('kind: Secret\ndata:\n  door: [redacted]\n');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});

describe('code that names a secret', () => {
  it.each([
    'const pass = expected.length === 0;',
    'userPass = split_auth_from_netloc(netloc)',
    'proxy_password = urllib.unquote(part)',
    `headers["authorization"] = "Basic " + encoded`,
    `headers: { Authorization: \`Bearer \${token}\` }`,
    `headers['Authorization'] = 'Bearer %s' % token`,
    'password = var.master',
    'self.access_token = access_token',
    'connect(api_key=api_key, password = auth[2])',
    'Authorization: token {token}',
    'password=get_password(name)',
    'PRIVATE_KEY=/etc/tls/server.key',
  ])('is left: %s', (code) => expect(kept({ code })).toEqual({ code }));
});
