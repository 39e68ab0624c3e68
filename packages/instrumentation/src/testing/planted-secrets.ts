/** One secret that is in a recording nowhere; made of parts, so that no scanner takes this file for a leak. */
export interface PlantedSecret {
  readonly kind: string;
  /** What must not be found in anything that left the process. */
  readonly secret: string;
  /** A text with the secret in it, as code and people write it. */
  readonly text: string;
}

const letters = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4';
const hex = '0123456789abcdef';

function plain(kind: string, ...parts: readonly string[]): PlantedSecret {
  const secret = parts.join('');
  return { kind, secret, text: secret };
}

function within(kind: string, before: string, secret: string, after = ''): PlantedSecret {
  return { kind, secret, text: `${before}${secret}${after}` };
}

const keyLines = Array.from({ length: 4 }, (_, index) => `${index}${letters}${letters}`).join('\n');

const proof = hex + hex;
const macaroon = Buffer.concat([
  Buffer.from([2, 1, 11]),
  Buffer.from('api.example'),
  Buffer.from([2, 4]),
  Buffer.from('id-7'),
  Buffer.from([0, 0, 6, 32]),
  Buffer.from(letters),
]).toString('base64url');

/** Secrets of over fifty kinds. */
export const PLANTED_SECRETS: readonly PlantedSecret[] = [
  plain('openai project key', 'sk-', 'proj-', letters, '_-', letters),
  plain('openai key', 'sk-', letters, letters.slice(0, 16)),
  plain('anthropic key', 'sk-', 'ant-', 'api03-', letters, letters, '-AA'),
  plain('openrouter key', 'sk-', 'or-v1-', hex, hex, hex, hex),
  plain('google api key', 'AIza', 'Sy', letters, 'x'),
  plain('google oauth token', 'ya', '29.', letters, letters),
  plain('hugging face token', 'hf', '_', letters, 'xy'),
  plain('groq key', 'gsk', '_', letters, letters.slice(0, 20)),
  plain('aws access key id', 'AKIA', 'IOSFODNN7EXAMPLE'),
  within('aws secret access key', 'aws_secret_access_key=', `wJalrXUtnFEMI/K7MDENG+b${letters.slice(0, 17)}`),
  plain('azure client secret', 'abc8', 'Q~', letters, 'x'),
  within('azure storage key', 'AccountName=acme;AccountKey=', `${letters}${letters}+/==`, ';EndpointSuffix=core'),
  plain('github token', 'ghp', '_', letters, 'abcd'),
  plain('github fine-grained token', 'github', '_pat_', letters.slice(0, 22), '_', letters),
  plain('gitlab token', 'glpat', '-', letters.slice(0, 20)),
  plain('slack bot token', 'xox', 'b-123456789012-', letters.slice(0, 24)),
  within(
    'slack webhook',
    'https://hooks.slack.com/services/',
    `T0${hex.slice(0, 8).toUpperCase()}/B0123/${letters.slice(0, 24)}`,
  ),
  within('discord webhook', 'https://discord.com/api/webhooks/123456789012345678/', `${letters}${letters}`),
  plain('stripe key', 'sk', '_live_', letters),
  plain('twilio key', 'SK', hex, hex),
  plain('sendgrid key', 'SG', '.', letters.slice(0, 22), '.', letters),
  plain('mailgun key', 'key', '-', hex, hex),
  plain('telegram bot token', '123456789', ':AA', letters, 'x'),
  plain('npm token', 'npm', '_', letters, 'abcd'),
  plain('pypi token', 'pypi', '-', letters, letters),
  plain('databricks token', 'dapi', hex, hex),
  plain('vault token', 'hvs', '.', letters),
  plain(
    'age secret key',
    'AGE-SECRET',
    '-KEY-1',
    hex.toUpperCase().slice(2),
    hex.toUpperCase(),
    letters.toUpperCase().slice(0, 28),
  ),
  plain(
    'age secret key of its second kind',
    'AGE-SECRET',
    '-KEY-PQ-1',
    hex.toUpperCase(),
    letters.toUpperCase(),
    letters.toUpperCase(),
  ),
  plain('json web token', 'eyJhbGciOiJI', 'UzI1NiJ9.', 'eyJzdWIiOiIxMjM0NTY3ODkw', 'In0.', letters),
  within('bearer token', 'Authorization: Bearer ', `opaque.${letters}`),
  within('basic credentials', 'Authorization: Basic ', Buffer.from('ada:correct-horse-battery').toString('base64')),
  within('private key', '-----BEGIN RSA PRIVATE KEY-----\n', keyLines, '\n-----END RSA PRIVATE KEY-----'),
  within('password in an address', 'postgres://ada:', 'c0rrect-h0rse', '@db.internal:5432/orders'),
  within('password in a connection string', 'Server=db;User Id=ada;Password=', 'Tr0ub4dor', ';'),
  within('credential in a query', 'https://api.example.com/v1?api_key=', 'q7w8e9r0t1y2', '&page=2'),
  within('password in JSON', '{"user":"ada","password":"', 'hunter2-hunter2', '","retry":true}'),
  within('password in YAML', 'db:\n  user: ada\n  password: ', 'hunter2-hunter3', '\n'),
  within('password of a command', 'curl -sS -u ada:', 'hunter2-hunter4', ' https://b.example'),
  within('password in a form of HTML', '<input type="password" name="p" value="', 'hunter2-hunter5', '">'),
  within('session cookie', 'Cookie: session=', 's%3Aabcdef123456', ''),
  plain('payment card', '4111 1111 ', '1111 1111'),
  within('digest proof', 'curl -H \'Authorization: Digest username="ada", realm="api", response="', proof, '"\' -s'),
  within('hawk proof', 'Hawk id="dh37", ts="1790000000", mac="', `${letters}${letters.slice(0, 11)}=`, '"'),
  within('key of a header that is called otherwise', 'x-honeycomb-team: ', letters.slice(0, 22)),
  within('key of a header', 'X-Query-Key: ', letters),
  within('bypass of a protection', 'https://preview.example/?x-vercel-protection-bypass=', letters, '&a=1'),
  plain('macaroon', macaroon),
  within('link that signs in', 'Sign in: https://app.example/auth/magic-link/', hex + hex, '\nIt is good for an hour.'),
  within('link with a hashed token', 'https://app.example/verify?token_hash=', hex + hex, '&type=email'),
  within('webhook of make', 'https://hook.eu1.make.com/', letters.toLowerCase()),
];

/** The forms in which a secret may have left the process. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const json = JSON.stringify(secret).slice(1, -1);
  const nested = JSON.stringify(json).slice(1, -1);
  // In base64, what surrounds a text moves it by up to two characters; the middle of each is enough to tell.
  const shifted = ['', 'x', 'xy'].map((before) =>
    Buffer.concat([Buffer.from(before), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [...new Set([secret, json, nested, encodeURIComponent(secret), ...shifted])].filter(
    ({ length }) => length > 5,
  );
}

/** Which secrets a text holds, each as `<kind> as <form>`; base64 counts where most of it is there. */
export function leaksIn(text: string, secrets: readonly PlantedSecret[] = PLANTED_SECRETS): string[] {
  return secrets.flatMap(({ kind, secret }) =>
    formsOf(secret).flatMap((form) => (text.includes(form) ? [`${kind} as ${form}`] : [])),
  );
}
