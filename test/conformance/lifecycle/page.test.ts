import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

describe('the page of a collector', () => {
  const testbed = new Testbed();
  afterAll(() => testbed.dispose());

  it('is there where its folder is given, without a token, and says where', async () => {
    const sha256 = 'a'.repeat(64);
    const tokens = [{ name: 'reader', sha256, scopes: ['read' as const] }];
    const { httpUrl, pageUrl } = await testbed.start({ tokens }, { pageDirectory: PAGE_DIRECTORY });
    expect(pageUrl).toBe(`${httpUrl}/`);
    const everywhere = await testbed.start({ host: '0.0.0.0', tokens }, { pageDirectory: PAGE_DIRECTORY });
    expect(everywhere.pageUrl).toBe(everywhere.httpUrl.replace('0.0.0.0', 'localhost').concat('/'));
    const page = await (await fetch(`${pageUrl}`)).text();
    for (const [, file = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g))
      expect([file, (await fetch(`${httpUrl}/${file}`)).status]).toEqual([file, 200]);
    expect((await fetch(`${httpUrl}/api/v1/runs`)).status).toBe(401);
  });

  it('brings the licenses of what others wrote of its script', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    const answer = await fetch(`${httpUrl}/page/licenses.txt`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await answer.text();
    for (const name of ['diff', 'preact', 'zod'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n.*icense`, 'm'));
    expect(text.match(/"AS IS"/g)).toHaveLength(3);
  });

  it('is not there where it is turned off, no folder is given, or the folder cannot be read', async () => {
    const started = [
      await testbed.start({ page: { isOn: false } }, { pageDirectory: PAGE_DIRECTORY }),
      await testbed.start(),
      await testbed.start({}, { pageDirectory: '/nowhere/' }),
    ];
    for (const { httpUrl, pageUrl } of started) {
      expect(pageUrl).toBeUndefined();
      const answer = await fetch(`${httpUrl}/`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    }
  });
});
