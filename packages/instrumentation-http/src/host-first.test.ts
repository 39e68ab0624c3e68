import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { context } from '@opentelemetry/api';
import { gate } from '@reenact/instrumentation';
import { afterEach, describe, expect, it } from 'vitest';
import { errorFacts, patchHttp } from './testdata/http-suite.ts';
import { logOf } from './testdata/request-log.ts';
import { ScriptedServer } from './testdata/scripted-server.ts';

const require = createRequire(import.meta.url);
let undo = (): void => undefined;

afterEach(() => {
  undo();
  gate.configure({ recorder: undefined, tracerProvider: undefined });
});

const fail = (): never => {
  throw new TypeError('ours');
};

type Act = (server: ScriptedServer) => Promise<unknown>;

const acts: readonly (readonly [string, Act])[] = [
  ['a request', ({ url }) => logOf(http.request(url, { method: 'POST' }).end('body'))],
  ['a get', ({ url }) => logOf(http.get(url))],
  ['a fetch', async ({ url }) => (await fetch(url, { method: 'POST', body: 'body' })).text()],
  ['a failing fetch', () => fetch('http://127.0.0.1:1/').catch(errorFacts)],
  ['a bad address', () => fetch('http://').catch(errorFacts)],
  [
    'a bad option',
    async () => {
      try {
        return http.get({ agent: 5 } as never);
      } catch (error) {
        return errorFacts(error);
      }
    },
  ],
];

async function outcome(act: Act): Promise<unknown> {
  const server = await ScriptedServer.start((request, response) => {
    response.writeHead(200, { date: 'today' }).end(request.method);
  });
  try {
    return [await act(server), server.requests.map(({ method, body }) => [method, body])];
  } finally {
    await server.stop();
  }
}

describe('everything of ours failing', () => {
  it.each(acts)('leaves %s as it is', async (_name, act) => {
    const bare = await outcome(act);
    undo = patchHttp({ inbound: true, ignoreOutbound: fail, ignore: fail });
    gate.configure({ recorder: { record: fail }, tracerProvider: { getTracer: fail } });
    expect(await outcome(act)).toEqual(bare);
    const manager = { active: fail, with: fail, bind: fail, enable: fail, disable: () => undefined };
    context.disable();
    context.setGlobalContextManager(manager as never);
    expect(await outcome(act)).toEqual(bare);
    context.disable();
  });
});

function descriptors(): unknown[] {
  return [
    Object.getOwnPropertyDescriptor(globalThis, 'fetch'),
    ...['connect', 'createServer', 'createSecureServer'].map((key) => Object.getOwnPropertyDescriptor(http2, key)),
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(http2.createServer()), 'emit'),
    ...[http, https].flatMap((module) => [
      Object.getOwnPropertyDescriptor(module, 'request'),
      Object.getOwnPropertyDescriptor(module, 'get'),
      Object.getOwnPropertyDescriptor(module.Server.prototype, 'emit'),
    ]),
  ];
}

describe('the patch', () => {
  it('undoes itself exactly, and is made once however often it is asked for', () => {
    const before = descriptors();
    const first = patchHttp({ inbound: true });
    const once = descriptors();
    const second = patchHttp({ inbound: true });
    expect(descriptors()).toEqual(once);
    expect(once).not.toEqual(before);
    second();
    first();
    expect(descriptors()).toEqual(before);
  });

  it('keeps names and lengths, and is seen by ES modules and CommonJS', async () => {
    const before = [fetch, http.request, https.get].map(({ name, length }) => [name, length]);
    undo = patchHttp();
    expect([fetch, http.request, https.get].map(({ name, length }) => [name, length])).toEqual(before);
    const { request } = await import('node:http');
    expect(request).toBe(http.request);
    expect((require('node:http') as typeof http).request).toBe(http.request);
  });

  it('leaves what somebody else put over it', () => {
    const { get } = http;
    const first = patchHttp();
    const own = (): never => fail();
    http.get = own as never;
    first();
    expect(http.get).toBe(own);
    http.get = get;
    syncBuiltinESMExports();
  });
});
