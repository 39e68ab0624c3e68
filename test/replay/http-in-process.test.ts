import { gate } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';
import { startWatchedServer, type WatchedServer } from './watched-server.ts';

let server: WatchedServer;
let seen = 0;

beforeAll(async () => {
  server = await startWatchedServer((_, response) => {
    seen += 1;
    response.end('answered');
  });
});

afterAll(() => server.stop());

describe('a replay in the process of a test', () => {
  it('answers fetch from the recording, although it was patched before the guard', async () => {
    const asking = agent('asking', async () => (await fetch(server.url)).text());
    const recording = await recordRun(asking);
    expect(seen).toBe(1);
    const report = await replay({ recording, run: asking });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 'answered', divergences: [] });
    expect(seen).toBe(1);
  });

  it.each([
    ['a text', (step: string) => fetch(server.url, { method: 'POST', body: step })],
    ['a body that is read first', (step: string) => fetch(new Request(server.url, { method: 'POST', body: step }))],
    [
      'by way of a library',
      (step: string) => Reflect.apply(fetch, undefined, [server.url, { method: 'POST', body: step }]),
    ],
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
      for (let step = 0; step < 3; step += 1) await (await fetch(server.url)).text();
    });
    const recording = await recordRun(many);
    await expect(replay({ recording, run: many })).resolves.toMatchObject({ verdict: 'reproduced' });
    expect(gate.hasOpenCrossings()).toBe(false);
  });

  it('lets no fetch through that nobody recorded, nor what the instrumentation looks away from', async () => {
    const recording = await recordRun(agent('asking', async () => (await fetch(server.url)).text()));
    const before = seen;
    const more = agent('asking', async () => {
      await (await fetch(server.url)).text();
      return (await fetch(`${server.url}more`)).text();
    });
    const report = await replay({ recording, run: more });
    expect(report.error).toMatchObject({ code: 'replay-refused' });
    const blind = new HttpInstrumentation({ inbound: false, ignoreOutbound: () => true });
    server.instrumentation.disable();
    blind.enable();
    const unseen = await replay({ recording, run: more });
    blind.disable();
    server.instrumentation.enable();
    expect(unseen).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
    expect(seen).toBe(before);
  });
});
