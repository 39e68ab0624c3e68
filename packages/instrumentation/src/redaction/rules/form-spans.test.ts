import { describe, expect, it } from 'vitest';
import { searchedBody } from '../places/redact-body.ts';
import { redactedBytes } from '../places/redact-bytes.ts';
import { Redactor } from '../redactor/redactor.ts';
import { editedText } from '../text/text-edit.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** A form as `fetch` sends it. */
async function sent(fields: Record<string, string | Blob>): Promise<{ body: Buffer; contentType: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  return { body: Buffer.from(await request.arrayBuffer()), contentType: request.headers.get('content-type') ?? '' };
}

async function read(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  return Object.fromEntries(form);
}

function kept(body: Buffer, contentType: string): Buffer {
  return redactedBytes(redactor, body, { contentType, coding: '' }).changed ?? body;
}

const token = /^\[redacted:named-value:[0-9a-f]{16}\]$/;

/** A name as clients write it that put it in no quotes, or in others. */
const bareNames = [
  'name=password',
  'filename=a; name=password',
  'filename="name=user"; name=password',
  'Name=password',
  'name = password',
  "name='password'",
  "name*=UTF-8''password",
  "name*=utf-8'en'password; filename=a",
];

describe('a form', () => {
  it('is kept without the values of its parts that are named as secrets, and can still be read', async () => {
    const { body, contentType } = await sent({
      user: 'ada',
      password: 'open sesame\n--and more',
      note: 'the password is not here',
      api_key: 'hunter2x',
      page_token: '7',
    });
    const form = await read(kept(body, contentType), contentType);
    expect(form).toEqual({
      user: 'ada',
      password: expect.stringMatching(token),
      note: 'the password is not here',
      api_key: expect.stringMatching(token),
      page_token: '7',
    });
    // As elsewhere, the same secret has the same token.
    expect(form).toMatchObject({ api_key: redactor.namedText('api_key', 'hunter2x') });
  });

  it.each(bareNames)('is kept without them also where its names stand in no quotes: %s', (named) => {
    const head = (parameters: string): string =>
      `--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n`;
    const body = Buffer.from(`${head(named)}open sesame\r\n${head('name=user')}ada\r\n--b--\r\n`);
    const text = kept(body, 'multipart/form-data; boundary=b').toString();
    expect(text).not.toContain('sesame');
    expect(text).toMatch(/\r\n\r\n\[redacted:named-value:[0-9a-f]{16}\]\r\n--b\r\n/);
    expect(text).toContain('ada');
  });

  it('comes out the same when it is redacted again', async () => {
    const { body, contentType } = await sent({ password: 'open sesame', user: 'ada' });
    const once = kept(body, contentType);
    expect(kept(once, contentType).toString()).toBe(once.toString());
  });

  it('with a picture in it is as long as before, and has no secret, file or not', async () => {
    const picture = new Blob([Uint8Array.from({ length: 600 }, (_, index) => index % 256)], { type: 'image/png' });
    const { body, contentType } = await sent({
      picture,
      password: 'open sesame',
      private_key: new Blob(['opaque content'], { type: 'text/plain' }),
      user: 'ada',
    });
    const changed = kept(body, contentType);
    expect(changed.length).toBe(body.length);
    expect(changed.includes('sesame') || changed.includes('opaque')).toBe(false);
    const { user, picture: same } = await read(changed, contentType);
    expect(user).toBe('ada');
    expect(Buffer.from(await (same as Blob).arrayBuffer())).toEqual(Buffer.from(await picture.arrayBuffer()));
  });

  it('that was broken off is searched to its end', () => {
    const text = '--mark\r\nContent-Disposition: form-data; name="password"\r\n\r\nopen ses';
    const { edits } = searchedBody(redactor, text, 'multipart/form-data; boundary=mark');
    expect(editedText(text, edits)).toMatch(/\r\n\r\n\[redacted:named-value:[0-9a-f]{16}\]$/);
  });

  it('of nothing but parts without an end takes no longer than its length allows', () => {
    const part = (mark: string): string => `--${mark}\nContent-Disposition: form-data; name="token"\n\n`;
    const same = part('a').repeat(4_000);
    const other = Array.from({ length: 4_000 }, (_, index) => part(`${index}x`)).join('');
    const before = process.cpuUsage();
    for (const text of [same, other]) searchedBody(redactor, text, 'multipart/form-data; boundary=a');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(4_000);
  });
});
