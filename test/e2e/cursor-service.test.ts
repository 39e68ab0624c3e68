import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'cursor-service.ts';
let stage: Stage;
/** How often the service has asked what is new. */
let asked = 0;
const news = createServer((_request, response) => {
  asked += 1;
  response.end(JSON.stringify({ cursor: asked, price: Math.random() }));
});
let requests: readonly RunSummary[];

beforeAll(async () => {
  news.listen(0, '127.0.0.1');
  await once(news, 'listening');
  const { port } = news.address() as AddressInfo;
  stage = await setSmallStage({ CALLED_ADDRESS: `http://127.0.0.1:${port}/news` });
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port: servicePort } = JSON.parse(service.firstLine) as { port: number };
  for (const path of ['/first', '/second']) {
    const before = asked;
    while (asked < before + 3) await sleep(10);
    await (await fetch(`http://127.0.0.1:${servicePort}${path}`)).text();
  }
  await service.stop();
  requests = await runsOnceThere(stage, (runs) => {
    const calling = runs.filter(({ name }) => name?.startsWith('agent:GET /') === true);
    return calling.length < 2 ? undefined : calling;
  });
});

afterAll(async () => {
  news.close();
  await stage.stop();
});

it('a request to a service that asks again and again for what is new meets what was heard last, and nobody is asked', async () => {
  const before = asked;
  for (const { rootSpanId } of requests) {
    const { report } = await replayAsJson(stage, rootSpanId, script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.setUp).toMatchObject({ live: 0, notMadeTotal: 0 });
  }
  expect(asked).toBe(before);
});
