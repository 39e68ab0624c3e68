import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { editedText } from '../text/text-edit.ts';
import { bodyEdits } from './redact-body.ts';

const redactor = new Redactor({
  options: {},
  known: [{ text: 'p4$$+w"r', rule: 'environment' }],
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});
const token = '[redacted]';

/** The text without its secrets, as a text, a body and in JSON inside a text; tokens are all the same. */
function searched(text: string): string[] {
  const plain = (found: string): string => found.replaceAll(/\[redacted:[^\]]+\]/g, token);
  const inJson = JSON.parse(redactor.text(JSON.stringify({ note: text }))) as { note: string };
  return [redactor.text(text), editedText(text, bodyEdits(redactor, text, '')), inJson.note].map(plain);
}

function isFound([before, secret, after]: readonly [string, string, string]): void {
  const expected = `${before}${token}${after}`;
  expect(searched(`${before}${secret}${after}`)).toEqual([expected, expected, expected]);
}

function isLeft(text: string): void {
  expect(searched(text)).toEqual([text, text, text]);
}

describe('a value without quotes', () => {
  it.each([
    ['db:\n  password: ', 'hunter2', '\n  host: localhost'],
    ['- api_key: ', 'abc123def456ghi789', ' # of the staging account'],
    ['env:\r\n  GITHUB_TOKEN: ', 'a1b2c3d4e5f6a7b8c9', '\r\n'],
    ['My password: ', 'P@ssw0rd', ', please log in.'],
    ['bot_token: ', 'MTk4NjIyNDgzNDcx.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs', ''],
    ['passcode: ', '739201', ''],
    ['map[password:', 'hunter2', ' user:ada]'],
    ['&{User:ada Password:', 'hunter2', '}'],
  ] as const)('is a secret behind its name: %s…', (...parts) => isFound(parts));

  it.each([
    'Reset your password: click the link below, within 24h.',
    'Password: must have 8 characters, password: 12-character minimum',
    'password: string;\nsecretKey: Uint8Array\napi_key: str = None\npassword: VARCHAR2(30)',
    'new Client({ apiKey: process.env.AUTH0_KEY, password: this.#options.password2, secret: read(file1) })',
    'password: {{ db1 }}\npassword: $DB_PASSWORD1\nsecret: !Ref Secret1\npassword: *default1',
    'private_key: ./certs/server1.pem\ncredentials: https://b.example/v2/keys',
    'dependencies:\n  cookie: 0.7.1\n  jwt: ^9.0.2',
    'accessToken: 15m\nrefreshToken: 30d\ncookies: 1200',
    'pin: GPIO13',
    'password: пароль, password: größer?, password: パスワード。, secret: Santa’s, credentials: none—ask',
    'Password: 8–64 Zeichen, password: 8-64 characters',
    'function a(){return{password:e,secret:t1.b}}',
    'src/secret:12: const a = 1',
  ])('is none where it reads as prose or code: %s', isLeft);

  it('is searched in linear time', () => {
    const texts = [
      '{password:',
      'password: a.a1.',
      'curl \\\n -u',
      '<input name="',
      '&#43;&#34;',
      'map[password:a1b2 ',
    ];
    const before = process.cpuUsage();
    for (const text of texts) redactor.text(`${text.repeat(500_000 / text.length)} password: hunter2`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(10_000);
  });
});

describe('a command', () => {
  it.each([
    ['curl -u ada:', 'hunter2', ' https://b.example'],
    ["curl -sSu 'ada:", 'hunter2', "' https://b.example"],
    ['curl "https://b.example/?a=1&b=2" \\\n  --user ada:', 'hunter2', '\n'],
    ['mysqldump -uroot -p', 'S3CRET', ' shop'],
    ['sshpass -p ', 'hunter2', ' ssh b.example'],
    ['redis-cli -h b.example -a ', 'hunter2', ' ping'],
    ['docker login -u ada -p ', 'hunter2', ''],
    ['gh-app run --client-secret ', 'a1b2c3', ' --verbose'],
  ] as const)('has no password left: %s…', (...parts) => isFound(parts));

  it.each([
    'curl -u ada:$PASSWORD https://b.example:8080',
    'curl -u "ada:<password>" https://b.example; ls -u a:b',
    'mysql -u root -p shop && mkdir -p/tmp/a',
    'docker run --name mysql -p3306:3306 mysql:8',
    'Pass --password to be asked, or --token TOKEN.',
    '[mysql -p](https://b.example), exec("mysql -p").then(done), <a title="mysql -p">log in</a>',
    JSON.stringify({ calls: [{ call: { command: 'mysql -u root -p' } }], n: 1 }),
    JSON.stringify(['redis-cli -a ', [1, 2], 'sshpass -p ', 12345]),
  ])('is left alone where it has none: %s', isLeft);
});

describe('a tag', () => {
  it.each([
    ['<input name="password" value="', 'hunter2', '">'],
    ["<input value='", 'hunter2', "' type='password' name='p'/>"],
    ['<meta name="csrf-token" content="', 'abcDEF123456789012345', '">'],
    ['<add key="ApiKey" value="', 'a1b2c3', '" />'],
  ] as const)('has no value left that another attribute says is secret: %s…', (...parts) => isFound(parts));

  it.each([
    '<input type="password" name="password" value="" placeholder="Password">',
    '<input name="user" value="ada1"><label for="password">Password</label>',
    '<meta name="csrf-param" content="authenticity_token">',
  ])('is left alone where none does: %s', isLeft);
});

describe('characters that HTML writes as numbers', () => {
  it.each([
    ['<Token>', 'abc&#43;DEF&#x2F;123&#61;4567890', '</Token>'],
    ['https://b.example/x?token=', 'a&#43;b1c2d3', ''],
    ['value: ', 'p4$$&#43;w&#34;r', ' and more'],
    ['value: ', 'p4$$&#x2B;w&quot;r', ' and more'],
  ] as const)('are no reason to overlook a secret: %s…', (...parts) => isFound(parts));

  it('leave the token as it is elsewhere', () => {
    const [elsewhere] = /\[.*\]/.exec(redactor.text('token=a1+b2c3d4e5f6g7h8i9')) ?? [];
    expect(elsewhere).toMatch(/^\[redacted:[^\]]+\]$/);
    expect(redactor.text('<a>?token=a1&#43;b2c3d4e5f6g7h8i9</a>')).toBe(`<a>?token=${elsewhere}</a>`);
  });
});
