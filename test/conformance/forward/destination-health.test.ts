import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';
import { type RecordingEndpoint, type SeenRequest, startEndpoint } from './recording-endpoint.ts';

let testbed: Testbed;
let endpoint: RecordingEndpoint;
beforeEach(async () => {
  testbed = new Testbed();
  endpoint = await startEndpoint();
});
afterEach(async () => {
  await testbed.dispose();
  await endpoint.close();
});

async function startTo(url: string) {
  const limits = { forwardBackoffFirstMs: 20, forwardBackoffMaxMs: 100 };
  const collector = await testbed.start({ forward: [{ name: 'next', url, content: 'full' }], limits });
  const health = async () => (await collector.stats()).forward[0];
  const send = (number: number, name = 'n') =>
    postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(number), name })]);
  return { health, send };
}

const isAboutBad = ({ body }: SeenRequest) => body.includes('bad');

describe('a destination that refused one item', () => {
  it('is healthy again without another delivery, for it takes what else it is sent', async () => {
    endpoint.answer = (_number, request) => ({ status: isAboutBad(request) ? 400 : 200 });
    const { health, send } = await startTo(endpoint.url);
    await send(1, 'bad');
    await eventually('dropped', async () => (await health())?.dropped['HTTP 400'] === 1);
    await eventually('asked', async () => endpoint.seen.length === 2);
    await eventually('healthy', async () => (await health())?.isHealthy === true);
    expect(await health()).toMatchObject({ delivered: 0, queued: 0, lastError: 'HTTP 400' });
    expect(endpoint.seen.map(({ path, body }) => [path, body.length > 0])).toEqual([
      ['/v1/traces', true],
      ['/v1/traces', false],
    ]);
  });

  it('is not healthy while it refuses everything, and is again once it does not, without a delivery', async () => {
    endpoint.answer = () => ({ status: 404 });
    const { health, send } = await startTo(endpoint.url);
    await send(1);
    await eventually('dropped', async () => (await health())?.dropped['HTTP 404'] === 1);
    await eventually('asked again and again', async () => endpoint.seen.length > 4);
    expect(await health()).toMatchObject({ isHealthy: false, dropped: { 'HTTP 404': 1 }, queued: 0 });
    endpoint.answer = () => ({ status: 200 });
    await eventually('healthy', async () => (await health())?.isHealthy === true);
    const seen = endpoint.seen.length;
    await send(2);
    await eventually('delivered', async () => (await health())?.delivered === 1);
    expect(endpoint.seen.length).toBe(seen + 1);
  });
});
