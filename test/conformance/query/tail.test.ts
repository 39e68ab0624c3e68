import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { createCollectorClient } from '@reenact/collector-client';
import { ATTR_EXCEPTION_TYPE } from '@reenact/semconv/core';
import type { TailEvent } from '@reenact/trace-model/collector-api';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { eventually, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
afterAll(() => testbed.dispose());

/** Reads events until there are enough of them. */
async function take(events: AsyncIterable<TailEvent>, count: number): Promise<TailEvent[]> {
  const taken: TailEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length >= count) break;
  }
  return taken;
}

const tracesOf = (events: readonly TailEvent[]) =>
  events.map(({ data }) => ('reason' in data ? data.reason : 'traceIds' in data ? data.traceIds.join() : data.traceId));

describe('a tail', () => {
  it('tells runs as they come and change, by the same filters as a list, and goes on where it left off', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
    const { signal } = new AbortController();
    const fromStart = client.followRuns({ service: 'shop' }, { signal, lastEventId: '0' });
    const [first] = await take(fromStart, 1);
    expect(first).toMatchObject({ event: 'run', data: { traceId: traceIdOf(1), spanCount: 1 } });
    await send(httpUrl, [crossingSpan({ trace: 2, span: 2 })], 'bank');
    await send(httpUrl, [crossingSpan({ trace: 3, span: 3 })]);
    await send(httpUrl, [crossingSpan({ trace: 1, span: 4, parent: 1 })]);
    const rest = await take(client.followRuns({ service: 'shop' }, { signal, lastEventId: first?.id }), 2);
    expect(tracesOf(rest)).toEqual([traceIdOf(3), traceIdOf(1)]);
    expect(rest[1]).toMatchObject({ data: { spanCount: 2 } });
  });

  it('loses nothing over a restart of the collector', async () => {
    const first = await testbed.start();
    const port = Number(new URL(first.httpUrl).port);
    const ending = new AbortController();
    const seen: TailEvent[] = [];
    const follow = async () => {
      const client = createCollectorClient({ url: first.httpUrl });
      for await (const event of client.followRuns({}, { signal: ending.signal, lastEventId: '0' })) seen.push(event);
    };
    const following = follow();
    await send(first.httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
    await eventually('the first run', async () => seen.length === 1);
    await first.stop();
    expect(tracesOf(seen)).toEqual([traceIdOf(1), 'collector-stops']);
    const second = await testbed.start({ dataDirectory: first.dataDirectory, httpPort: port });
    await send(second.httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
    await eventually('the second run', async () => tracesOf(seen).includes(traceIdOf(2)));
    ending.abort();
    await following;
  });

  it('begins anew where it is asked to go on at a place that this store never had, as after a restored backup', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
    const signal = AbortSignal.timeout(20_000);
    const events = await take(client.followRuns({}, { signal, lastEventId: '999999' }), 1);
    expect(tracesOf(events)).toEqual([traceIdOf(1)]);
    expect(Number(events[0]?.id)).toBeLessThan(999_999);
  });

  it('tells every run once or more while many arrive at a time, and nobody waits for a summary in vain', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    const numbers = Array.from({ length: 120 }, (_, index) => index + 1);
    const ending = new AbortController();
    const seen = new Set<string>();
    const follow = async () => {
      for await (const event of client.followRuns({}, { signal: ending.signal, lastEventId: '0' })) {
        if (event.event === 'run') seen.add(event.data.traceId);
        if (seen.size === numbers.length) return;
      }
    };
    await Promise.all([
      follow(),
      ...numbers.map((number) => send(httpUrl, [crossingSpan({ trace: number, span: number, atSecond: number })])),
    ]);
    expect([...seen].toSorted()).toEqual(numbers.map(traceIdOf).toSorted());
  });
});

describe('a tail of runs that leave', () => {
  it('tells which runs that have changed do not pass, where that is asked for, and where it is', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    const pending = { endTimeUnixNano: '0' };
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, members: pending })]);
    const places: string[] = [];
    const options = { signal: new AbortController().signal, onPlace: (id: string) => places.push(id) };
    const [passing] = await take(client.followRuns({ status: 'ok' }, { ...options, lastEventId: '0' }), 1);
    expect(passing).toMatchObject({ event: 'run', data: { traceId: traceIdOf(1) } });
    await send(httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
    const failed = { status: { code: 2, message: 'it broke' } } as const;
    await send(httpUrl, [crossingSpan({ trace: 1, span: 3, parent: 1, members: failed })]);
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, members: failed })]);
    const since = { ...options, lastEventId: passing?.id };
    const kinds = (events: readonly TailEvent[]) => events.map(({ event }) => event);
    const whole = await take(client.followRuns({ status: 'ok' }, { ...since, leaving: true }), 3);
    // Its place is of a tail that tells no deletions.
    const [forgotten, ...changed] = whole;
    expect(forgotten?.event).toBe('forgotten');
    expect([kinds(changed), tracesOf(changed)]).toEqual([
      ['run', 'left'],
      [traceIdOf(2), traceIdOf(1)],
    ]);
    expect(places).toContain(changed[0]?.id);
    await send(httpUrl, [crossingSpan({ trace: 4, span: 4 })]);
    const plain = await take(client.followRuns({ status: 'ok' }, since), 2);
    expect(tracesOf(plain)).toEqual([traceIdOf(2), traceIdOf(4)]);
    await send(httpUrl, [crossingSpan({ trace: 5, span: 5, attributes: { 'reenact.replay.id': 'r-1' } })]);
    const replays = client.followRuns({ replays: 'only' }, { ...options, lastEventId: plain[1]?.id, leaving: true });
    expect((await take(replays, 2))[1]).toMatchObject({ event: 'run', data: { traceId: traceIdOf(5) } });
  });
});

describe('a tail and its reader', () => {
  it('shows that it is there, and refuses what it cannot do before it begins', async () => {
    const { httpUrl } = await testbed.start({ limits: { tailHeartbeatMs: 20 } });
    const response = await fetch(`${httpUrl}/api/v1/tail`);
    // What proxies between would hold back, pack or keep.
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(': heartbeat\n\n: heartbeat\n\n')) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    expect(text).toMatch(/^id: 0\n/);
    for (const query of ['?since=2026-01-01T00:00:00Z', '?text=*', '?kept=maybe']) {
      expect((await fetch(`${httpUrl}/api/v1/tail${query}`)).status, query).toBe(400);
    }
    expect((await fetch(`${httpUrl}/api/v1/tail`, { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('gives up the place of a reader at once that has ended its half of the connection', async () => {
    const { httpUrl } = await testbed.start({ limits: { tailReadersMax: 1, tailHeartbeatMs: 600_000 } });
    const { hostname, port } = new URL(httpUrl);
    // Whoever asks what there is takes none.
    expect((await fetch(`${httpUrl}/api/v1/tail`, { method: 'HEAD' })).status).toBe(200);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write(`GET /api/v1/tail HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toContain(' 200 ');
    expect((await fetch(`${httpUrl}/api/v1/tail`)).status).toBe(503);
    socket.end();
    await eventually('the place', async () => {
      const response = await fetch(`${httpUrl}/api/v1/tail`);
      await response.body?.cancel();
      return response.status === 200;
    });
    socket.destroy();
  });

  it('ends for a reader that does not read once its patience is over, and says so by name', async () => {
    const patience = holdPatience();
    try {
      const { httpUrl } = await testbed.start({ limits: { tailSlowReaderMs: patience.ms } });
      // Large summaries, so that what the sockets hold is soon full.
      const events = Array.from({ length: 50 }, (_, index) => ({
        name: 'exception',
        timeUnixNano: '1',
        attributes: textAttributes({ [ATTR_EXCEPTION_TYPE]: `${'E'.repeat(900)}${index}` }),
      }));
      for (let from = 1; from <= 300; from += 50) {
        const numbers = Array.from({ length: 50 }, (_, index) => from + index);
        await send(
          httpUrl,
          numbers.map((number) => crossingSpan({ trace: number, span: number, members: { events } })),
        );
      }
      await createCollectorClient({ url: httpUrl }).listRuns({ limit: 1 });
      const text = await readLate(`${httpUrl}/api/v1/tail`, async () => (await patience.held)());
      const [, lastEventId] =
        /event: dropped\ndata: \{"reason":"reader-too-slow","lastEventId":"(\d+)"\}\n\n$/.exec(text) ?? [];
      const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
      expect(lastEventId).toBe(ids.at(-1));
      expect(ids.length).toBeLessThan(300);
    } finally {
      patience.release();
    }
  });
});

/** A patience that ends when the test says so: `held` gives what ends it, as soon as a tail waits for its reader. */
function holdPatience(): { readonly ms: number; readonly held: Promise<() => void>; release(): void } {
  const ms = 1_234_567_891;
  const set = globalThis.setTimeout;
  let hold: (end: () => void) => void = () => undefined;
  const held = new Promise<() => void>((resolve) => {
    hold = resolve;
  });
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    end: () => void,
    delayMs?: number,
    ...passed: []
  ) => {
    if (delayMs === ms) hold(end);
    return set(end, delayMs, ...passed);
  }) as typeof setTimeout);
  return { ms, held, release: () => spy.mockRestore() };
}

/** Opens a stream, reads nothing of it until something has happened, then reads all there is. */
function readLate(url: string, until: () => Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'last-event-id': '0' };
    const asked = request(url, { headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('close', () => resolve(text));
      response.on('error', () => resolve(text));
      response.pause();
      until().then(() => response.resume(), reject);
    });
    asked.on('error', reject).end();
  });
}
