import http from 'node:http';
import { context, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { agent, gate, tool, withOwnedWire } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

const echo = (): Promise<ScriptedServer> =>
  ScriptedServer.start((request, response) => void response.end(`${request.method} ${request.url}`));

function getText(url: string, options: http.RequestOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get(url, options, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += String(part);
        });
        response.on('end', () => resolve(text));
      })
      .on('error', reject);
  });
}

describe('where a request is nested', () => {
  it('is the crossing that made it; what its callbacks do is not inside it', async () => {
    const server = await echo();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const lookUp = tool('look_up', async (url: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      http.get(`${url}/1`, (response) => {
        response.resume().on('end', () => {
          // Callback style: the second request is made inside a listener of the first.
          void getText(`${url}/2`)
            .then(() => fetch(`${url}/3`))
            .then((third) => third.text())
            .then(() => resolve());
        });
      });
      return promise;
    });
    await agent('asker', async () => lookUp(server.url))();
    detach();
    await server.stop();
    const toolId = calls.facts.find(({ boundary }) => boundary.kind === 'tool')?.spanContext.spanId;
    const requests = calls.facts.filter(({ boundary }) => boundary.kind === 'http');
    expect(requests.map(({ parentCrossing, order }) => [parentCrossing, order])).toEqual([
      [toolId, 0],
      [toolId, 1],
      [toolId, 2],
    ]);
  });

  it('the active span inside callbacks and after a fetch is the one around the call', async () => {
    const server = await echo();
    const detach = new RecordedCalls().attach();
    const outer = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
    const active = (): string | undefined => trace.getSpan(context.active())?.spanContext().spanId;
    const seen = await context.with(trace.setSpan(context.active(), outer), async () => {
      const inCallback = await new Promise((resolve) => {
        http.get(server.url, (response) => response.on('end', () => resolve(active())).resume());
      });
      await (await fetch(server.url)).text();
      return [inCallback, active()];
    });
    detach();
    await server.stop();
    expect(seen).toEqual(['2'.repeat(16), '2'.repeat(16)]);
  });
});

describe('requests that are no crossings', () => {
  it('those of a crossing that keeps its exchange, and those of exporters', async () => {
    const server = await echo();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    for (const scope of [withOwnedWire(context.active()), suppressTracing(context.active())]) {
      await context.with(scope, async () => {
        await (await fetch(server.url)).text();
        await getText(server.url);
      });
    }
    detach();
    await server.stop();
    expect(calls.facts).toEqual([]);
    expect(server.requests.length).toBe(4);
  });

  it('those the user ignores, and all once the patch is undone or recording is off', async () => {
    const server = await echo();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const { fetch: patchedFetch } = globalThis;
    const { get: patchedGet } = http;
    undo();
    undo = patchHttp({ ignoreOutbound: ({ url }) => url.pathname === '/ignored' });
    await (await fetch(`${server.url}/ignored`)).text();
    await getText(`${server.url}/ignored`);
    await (await patchedFetch(server.url)).text();
    await new Promise((resolve) => patchedGet(server.url, (response) => response.resume().on('end', resolve)));
    gate.disable();
    await (await fetch(server.url)).text();
    gate.enable();
    detach();
    await server.stop();
    expect(calls.facts).toEqual([]);
    expect(server.requests.length).toBe(5);
  });
});
