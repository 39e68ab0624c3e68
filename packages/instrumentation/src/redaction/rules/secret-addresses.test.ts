import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedHeaders } from '../places/redact-headers.ts';
import { redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const drawn = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4';
const hexadecimal = '3f9a0c1d7e2b58463f9a0c1d7e2b5846';
const uuid = '3f9a0c1d-7e2b-4846-8f9a-0c1d7e2b5846';

/** What is left of a text, of the same text in JSON, and of that in JSON inside a text. */
function keptForms(text: string): string[] {
  const kept = (value: unknown): unknown => JSON.parse(redactedValue(redactor, encodeValue(value)).payload.data ?? '');
  const inside = (kept({ content: JSON.stringify({ text }) }) as { content: string }).content;
  const forms = [redactor.text(text), kept(text) as string, (JSON.parse(inside) as { text: string }).text];
  return [...new Set(forms.map((form) => comparableText(form, 'dropped')))];
}

describe('an address that lets in whoever has it', () => {
  it.each([
    ['a link to sign in', `https://app.example/auth/magic-link/${hexadecimal}`, hexadecimal],
    ['a link to a new password', `https://app.example/reset-password/${drawn}?from=mail`, drawn],
    ['one with a folder', `https://app.example/password/reset/${drawn}`, drawn],
    ['one to confirm an address', `https://app.example/verify-email/${drawn}/`, drawn],
    ['one to come in', `https://app.example/u/invite/${drawn}`, drawn],
    ['one written as a path', `GET /auth/magic-link/${uuid} HTTP/1.1`, uuid],
    ['the parameter of Supabase', `https://x.example/auth?token_hash=${drawn}&type=email`, drawn],
    ['one called magic', `https://x.example/a?magic=${drawn}`, drawn],
    ['what proves an address', `https://x.example/a?shop=b&hmac=${hexadecimal}`, hexadecimal],
    [
      'that of OpenWeather',
      `https://api.openweathermap.org/data/2.5/weather?q=London&appid=${hexadecimal}&units=metric`,
      hexadecimal,
    ],
    ['that of Firebase', `https://x.example/a?mode=signIn&oobCode=${drawn}`, drawn],
    ['that of Clerk', `https://x.example/a?__clerk_ticket=${drawn}`, drawn],
    ['that of Vercel', `https://x.example/a?_vercel_share=${drawn}`, drawn],
    ['a webhook of Zapier', 'https://hooks.zapier.com/hooks/catch/123456/abcd12e/', 'abcd12e'],
    ['one of IFTTT', `https://maker.ifttt.com/trigger/order/with/key/${drawn}`, drawn],
    ['one of Lark', `https://open.larksuite.com/open-apis/bot/v2/hook/${uuid}`, uuid],
    ['one of Airtable', `https://hooks.airtable.com/workflows/v1/genericWebhook/app${drawn}/wfl7`, `app${drawn}/wfl7`],
    ['one of Teams, as it was', `https://outlook.office.com/webhook/${uuid}@${uuid}/x`, `${uuid}@${uuid}/x`],
    ['a check', `https://hc-ping.com/${uuid}`, uuid],
    ['a project of Infura', `wss://mainnet.infura.io/ws/v3/${hexadecimal}`, hexadecimal],
    ['an app of Alchemy', `https://eth-mainnet.g.alchemy.com/v2/${drawn}`, drawn],
    ['an endpoint of QuickNode', `https://x.quiknode.pro/${hexadecimal}3f9a0c1d/`, `${hexadecimal}3f9a0c1d`],
  ])('is kept without its secret: %s', (_what, address, secret) => {
    expect(keptForms(`open ${address} now`)).toEqual([`open ${address.replace(secret, '[redacted]')} now`]);
  });

  it.each([
    'https://docs.example/guides/reset-password/with-a-custom-mail-template-2',
    'https://docs.example/verify/getting-started-with-webhooks',
    'https://api.example/v1/invitations/inv_01HZX3Q2N9V7C5B8M4K6J1D0S2',
    `https://git.example/o/r/commit/${hexadecimal}3f9a0c1d`,
    'https://discord.example/invite/a1B2c3D4',
    'https://shop.example/confirm/order',
    `https://hooks.example/v3/${hexadecimal}`,
    'https://x.example/a?magic=wand',
    'https://x.example/a?appid=440',
    `https://x.example/a?appid=${hexadecimal}`,
    `https://x.example/a?appid=wx8888888888888888&appId=com.example.an-app-of-mine`,
    `https://x.example/a?app=${hexadecimal}`,
    'https://x.example/a?alg=1&hmac=sha256',
    `https://x.example/a?hash=${hexadecimal}&t=${drawn}`,
    `a line of base64: /verify/${drawn}.png`,
    'https://shop.example/confirmation/ORDER-2026-11-30-000123456',
    'https://shop.example/order/confirm/ord_01HXYZABCDEF1234567890',
    `https://shop.example/order/confirm/${uuid}`,
    '/verify/2026-11-30-order-batch-17-summary',
    'docs/verify/Installation-Guide-for-Version-2026',
    'https://docs.example/reset-password/Installation-Guide-for-Version-2026',
    '/home/u/project/confirm/OrderConfirmationDialog2',
    '/home/u/project/reset-password/ResetPasswordConfirmationDialog2',
    `/home/u/project/verify/${drawn}`,
    'https://ci.example/verify/createsAnOrderWithTwoItemsAndConfirms2026x',
    `https://registry.example/app/verify/${hexadecimal}3f9a0c1d`,
  ])('is kept as it is where it lets nobody in: %s', (address) => {
    expect(keptForms(address)).toEqual([address]);
  });
});

describe('what a header proves', () => {
  it.each([
    ['Digest', `Digest username="ada", realm="r", uri="/x", response="${hexadecimal}", qop=auth`, hexadecimal],
    [
      'Digest with SHA-256',
      `Digest username="ada", response="${hexadecimal}${hexadecimal}"`,
      hexadecimal + hexadecimal,
    ],
    ['Hawk', `Hawk id="a1", ts="1353832234", mac="${drawn}Ab3dEf6hIj9="`, `${drawn}Ab3dEf6hIj9=`],
    ['OAuth 1', `OAuth oauth_nonce="n", oauth_signature="${drawn}%3D", oauth_version="1.0"`, `${drawn}%3D`],
  ])('is taken from a text: %s', (_scheme, proof, secret) => {
    expect(keptForms(`sent ${proof}`)).toEqual([`sent ${proof.replace(secret, '[redacted]')}`]);
  });

  it.each(['response="ok"', 'mac="00:1a:2b:3c:4d:5e"', `response=${hexadecimal}`, 'signature="valid"'])(
    'is nothing that only has such a name: %s',
    (text) => expect(keptForms(text)).toEqual([text]),
  );
});

describe('headers whose names tell that they are credentials', () => {
  it.each([
    'x-honeycomb-team',
    'X-Query-Key',
    'x-vercel-protection-bypass',
    'X-Telegram-Bot-Api-Secret-Token',
    'X-Goog-Channel-Token',
    'x-sentry-auth',
    'X-Tableau-Auth',
    'Grpc-Metadata-macaroon',
    'signoz-ingestion-key',
    'Modal-Key',
    'x-portkey-virtual-key',
    'x-apollo-key',
    'x-dash0-key',
  ])('%s', (name) => {
    const kept = redactedHeaders(redactor, [[name, drawn]])[0]?.[1] ?? '';
    expect(comparableText(kept, 'dropped')).toBe('[redacted]');
    expect(keptForms(`curl -H "${name}: ${drawn}" -s`)).toEqual([`curl -H "${name}: [redacted]" -s`]);
    expect(keptForms(`{"${name}":"${drawn}"}`)).toEqual([`{"${name}":"[redacted]"}`]);
  });

  it.each([
    'Idempotency-Key',
    'x-idempotency-key',
    'X-Cache-Key',
    'x-acme-partition-key',
    'Sec-WebSocket-Key',
    'x-request-key',
    'x-amz-meta-key',
    'x-goog-meta-source-key',
    'X-Object-Meta-Key',
    'key',
  ])('but not %s, by which something is found or done once', (name) => {
    expect(redactedHeaders(redactor, [[name, drawn]])).toEqual([[name, drawn]]);
    expect(keptForms(`{"${name}":"${drawn}"}`)).toEqual([`{"${name}":"${drawn}"}`]);
  });
});

describe('a key of a form', () => {
  it('is a secret where it looks made by a machine, first in the form or not', () => {
    for (const text of [`key=${drawn}`, `key=${drawn}&q=1`, `q=1&key=${drawn}`])
      expect(keptForms(text)).toEqual([text.replace(drawn, '[redacted]')]);
  });

  it.each([
    'key=orders',
    'key=customer_orders_2026_11_30',
    'key=customer-orders-2026-11-30&action=list',
    'key=OrderConfirmationDialog2',
    'key=uploads/2026/11/a-long-name-of-a-file-7.txt',
    `key=${drawn} of the cache`,
    `the key=${drawn}`,
  ])('is none where it is a word, a place, or no form: %s', (text) => expect(keptForms(text)).toEqual([text]));
});

describe('what an event is routed by', () => {
  it.each([hexadecimal, `R0${hexadecimal.slice(2).toUpperCase()}`])('is a key where it looks like one: %s', (value) => {
    for (const text of [
      `{"routing_key":"${value}","event_action":"trigger"}`,
      `routingKey: '${value}'`,
      `routing_key=${value}`,
    ])
      expect(keptForms(text)).toEqual([text.replace(value, '[redacted]')]);
  });

  it.each(['orders.v2.created.eu-west-1', 'orders', uuid, '#', '0'.repeat(32)])('is none of a broker: %s', (value) => {
    const text = `{"routing_key":"${value}","exchange":"e"}`;
    expect(keptForms(text)).toEqual([text]);
  });
});

describe('a macaroon', () => {
  const field = (kind: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([kind, bytes.length]), bytes]);
  const second = Buffer.concat([
    Buffer.from([2]),
    field(1, Buffer.from('api.example')),
    field(2, Buffer.from('we used our key')),
    Buffer.from([0]),
    field(2, Buffer.from('account = 3735928559')),
    Buffer.from([0, 0]),
    field(6, Buffer.from(drawn)),
  ]);
  const line = (text: string): string => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
  const first = Buffer.from(
    line('location http://mybank/') + line('identifier we used our secret key') + line(`signature ${drawn}\xff`),
    'latin1',
  );

  it.each([
    ['of the first version', first.toString('base64url')],
    ['of the second version', second.toString('base64url')],
    ['of the second version, with padding', second.toString('base64')],
    ['of the second version in hexadecimal digits', second.toString('hex')],
  ])('is found by its form: %s', (_version, macaroon) => {
    expect(keptForms(`use ${macaroon}, then`)).toEqual(['use [redacted], then']);
  });

  it.each([
    ['other bytes that begin so', Buffer.concat([Buffer.from([2, 1, 3]), Buffer.alloc(80, 0x9d)]).toString('base64')],
    ['one without its signature', second.subarray(0, -20).toString('base64')],
    ['a word that is called so', '{"macaroon":"raspberry","kind":"a"}'],
    ['a number', `0201${hexadecimal.repeat(4)}`],
  ])('is none: %s', (_what, text) => expect(keptForms(text)).toEqual([text]));
});
