import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { createAuthorizer } from '../access/authorizer.ts';
import { createLog } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import { toStoreError } from '../store/store-error.ts';
import { answerQuestion } from './router.ts';

/** What SQLite says of a file that is not as it wrote it. */
const corrupt = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });

describe('a question that the store cannot answer', () => {
  it('is told to whoever asks, and to the log once and then as a number, each with what to do', async () => {
    const lines: string[] = [];
    const questions = new Map([['/api/v1/runs', () => Promise.reject(toStoreError(corrupt, 'data'))]]);
    const log = createLog('warn', (line) => lines.push(line));
    const unanswered = new RepeatedLog();
    const options = { authorizer: createAuthorizer([]), questions, log, unanswered };
    const server = createServer((request, response) => {
      void answerQuestion(options, new URL(request.url ?? '/', 'http://localhost'), request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await fetch(`${url}/api/v1/runs`);
    for (let again = 0; again < 3; again += 1) await fetch(`${url}/api/v1/runs`);
    server.close();
    unanswered.stop();
    expect(answer.status).toBeGreaterThanOrEqual(500);
    const advice = expect.stringContaining('reenact store verify --rebuild-index') as string;
    expect(await answer.json()).toMatchObject({ error: { code: 'store-failed', next: advice } });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'error', event: 'question not answered', path: '/api/v1/runs', count: 1, next: advice },
      { level: 'error', event: 'question not answered', path: '/api/v1/runs', count: 3, next: advice },
    ]);
  });
});

describe('an answer that goes on', () => {
  const mine = { tenant: 't', token: 'reader' };
  const refuse = (code: 'unauthenticated' | 'access-denied') => () => {
    throw new ReenactError(code, 'not any more');
  };

  it.each([
    ['is no longer known', refuse('unauthenticated')],
    ['may read no more', refuse('access-denied')],
    ['has come to another tenant', () => ({ ...mine, tenant: 'another' })],
  ])('ends once its token %s, and not before', async (_, judgeLater) => {
    let authorize = () => mine;
    const stream = async (response: ServerResponse) => {
      response.write('first;');
      setTimeout(() => response.write('second;'), 100);
      await once(response, 'close');
    };
    const questions = new Map([['/api/v1/tail', () => Promise.resolve({ contentType: 'text/plain', stream })]]);
    const log = createLog('silent', () => undefined);
    const unanswered = new RepeatedLog();
    const authorizer = { isOpen: false, authorize: () => authorize() };
    const options = { authorizer, questions, log, unanswered, accessCheckMs: 10 };
    const server = createServer((request, response) => {
      void answerQuestion(options, new URL(request.url ?? '/', 'http://localhost'), request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/tail`);
    let read = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) {
        read += Buffer.from(chunk).toString();
        if (read.endsWith('second;')) authorize = judgeLater;
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(read).toBe('first;second;');
    server.close();
  });
});

describe('a long answer', () => {
  const body = JSON.stringify({ runs: Array.from({ length: 2_000 }, (_, index) => ({ name: 'agent:trader', index })) });

  async function ask(headers: Readonly<Record<string, string>>, method = 'GET') {
    const questions = new Map([['/api/v1/runs', () => Promise.resolve({ status: 200, body })]]);
    const unanswered = new RepeatedLog();
    const options = {
      authorizer: createAuthorizer([]),
      questions,
      log: createLog('silent', () => undefined),
      unanswered,
    };
    const server = createServer((request, response) => {
      void answerQuestion(options, new URL(request.url ?? '/', 'http://localhost'), request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port, path: '/api/v1/runs', method, headers, agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const bytes = Buffer.concat(await answer.toArray());
    server.close();
    return { ...answer.headers, bytes };
  }

  it('is packed for who can read it so, and is the same', async () => {
    const answer = await ask({ 'accept-encoding': 'br, gzip' });
    expect(answer).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(answer['content-length']).toBe(String(answer.bytes.length));
    expect(answer.bytes.length).toBeLessThan(body.length / 5);
    expect(gunzipSync(answer.bytes).toString()).toBe(body);
  });

  it.each([[{}], [{ 'accept-encoding': 'gzip;q=0, identity' }], [{ 'accept-encoding': 'br' }]])(
    'is sent as it is to who asks with %o',
    async (headers) => {
      const answer = await ask(headers);
      expect(answer['content-encoding']).toBeUndefined();
      expect(answer.bytes.toString()).toBe(body);
    },
  );

  it('has no body where only its head is asked for', async () => {
    const answer = await ask({ 'accept-encoding': 'gzip' }, 'HEAD');
    expect(answer['content-length']).toBe(String(body.length));
    expect(answer.bytes).toHaveLength(0);
  });
});
