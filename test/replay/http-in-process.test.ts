import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { gate } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

let server: Server;
let url: string;
let seen = 0;
let instrumentation: HttpInstrumentation;

beforeAll(async () => {
  server = createServer((_, response) => {
    seen += 1;
    response.end('answered');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
});

afterAll(async () => {
  instrumentation.disable();
  context.disable();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a replay in the process of a test', () => {
  it('answers fetch from the recording, although it was patched before the guard', async () => {
    const asking = agent('asking', async () => (await fetch(url)).text());
    const recording = await recordRun(asking);
    expect(seen).toBe(1);
    const report = await replay({ recording, run: asking });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 'answered', divergences: [] });
    expect(seen).toBe(1);
  });

  it.each([
    ['a text', (step: string) => fetch(url, { method: 'POST', body: step })],
    ['a body that is read first', (step: string) => fetch(new Request(url, { method: 'POST', body: step }))],
    ['by way of a library', (step: string) => Reflect.apply(fetch, undefined, [url, { method: 'POST', body: step }])],
  ])('names the line that sent %s', async (_, send) => {
    let step = 'as recorded';
    const sending = agent('sending', async () => (await send(step)).text());
    const recording = await recordRun(sending);
    step = 'changed';
    for (let round = 0; round < 2; round += 1) {
      const { divergences } = await replay({ recording, run: sending });
      expect(divergences.map(({ kind }) => kind)).toEqual(['input-changed']);
      expect(divergences[0]?.source?.file).toMatch(/http-in-process\.test\.ts$/);
    }
  });

  it('ends every crossing that it serves, also where nobody looks on', async () => {
    const many = agent('many', async () => {
      for (let step = 0; step < 3; step += 1) await (await fetch(url)).text();
    });
    const recording = await recordRun(many);
    await expect(replay({ recording, run: many })).resolves.toMatchObject({ verdict: 'reproduced' });
    expect(gate.hasOpenCrossings()).toBe(false);
  });

  it('lets no fetch through that nobody recorded, nor what the instrumentation looks away from', async () => {
    const recording = await recordRun(agent('asking', async () => (await fetch(url)).text()));
    const before = seen;
    const more = agent('asking', async () => {
      await (await fetch(url)).text();
      return (await fetch(`${url}more`)).text();
    });
    const report = await replay({ recording, run: more });
    expect(report.error).toMatchObject({ code: 'replay-refused' });
    const blind = new HttpInstrumentation({ inbound: false, ignoreOutbound: () => true });
    instrumentation.disable();
    blind.enable();
    const unseen = await replay({ recording, run: more });
    blind.disable();
    instrumentation.enable();
    expect(unseen).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
    expect(seen).toBe(before);
  });
});
