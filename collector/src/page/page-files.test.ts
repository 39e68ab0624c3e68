import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageFiles } from './page-files.ts';

describe('PageFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-page-'));
  let server: Server;
  let url: string;

  beforeAll(async () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(folder, 'app.js'), 'export {};');
    const page = new PageFiles(folder);
    server = createServer((request, response) => {
      if (!page.answer(request.url ?? '', request, response)) response.writeHead(404).end('not of the page');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives the page at / and its files below /page/, each as what it is', async () => {
    const page = await fetch(`${url}/`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<title>page</title>');
    const script = await fetch(`${url}/page/app.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await script.text()).toBe('export {};');
  });

  it('forbids every browser to run or load what is not its own, or to show it inside another page', async () => {
    const { headers } = await fetch(`${url}/`);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is not sent again where a browser has it, and has no body where none is asked for', async () => {
    const first = await fetch(`${url}/page/app.js`);
    const again = await fetch(`${url}/page/app.js`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
    const head = await fetch(`${url}/`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('leaves everything else to others', async () => {
    for (const path of ['/page/', '/page/none.js', '/index.html', '/page/../package.json', '/api/v1/runs'])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404]);
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(404);
  });
});
