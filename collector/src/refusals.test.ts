import type { Rejections } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCounters } from './counters.ts';
import { REPEATED_KINDS_MAX, REPEATED_LOG_INTERVAL_MS } from './limits.ts';
import { createLog } from './logging/log.ts';
import { Refusals } from './refusals.ts';

const lines: string[] = [];
const read = () => lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);
const full = new ReenactError('store-failed', 'The disk is full.', { where: '/data', next: 'Free some space.' });
const denied = new ReenactError('unauthenticated', 'This collector wants a token.');

function rejections(count: number): Rejections {
  const problem = { code: 'bad-trace-id', message: 'trace id is all zeros', offset: 0, position: 3 } as const;
  return { count, problems: [problem], byCode: new Map([['bad-trace-id', count]]) };
}

function start() {
  const counters = createCounters();
  const refusals = new Refusals(
    counters,
    createLog('warn', (line) => lines.push(line)),
  );
  return { counters, refusals };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  lines.length = 0;
});

describe('what is refused', () => {
  it('is counted by code, and told at once the first time', () => {
    const { counters, refusals } = start();
    refusals.refused(full, 'http', '127.0.0.7');
    refusals.refused(denied, 'grpc', undefined);
    expect(counters.refusedRequests).toEqual({ 'store-failed': 1, unauthenticated: 1 });
    expect(read()).toMatchObject([
      {
        level: 'error',
        event: 'requests refused',
        transport: 'http',
        code: 'store-failed',
        count: 1,
        peer: '127.0.0.7',
        where: '/data',
      },
      { level: 'warn', event: 'requests refused', transport: 'grpc', code: 'unauthenticated', count: 1 },
    ]);
    refusals.stop();
    expect(read()).toEqual([]);
  });

  it('is told as one number while it goes on, and at once again after a pause', () => {
    const { refusals } = start();
    for (let number = 0; number < 1000; number += 1) refusals.refused(full, 'http', '127.0.0.7');
    expect(read()).toHaveLength(1);
    vi.advanceTimersByTime(REPEATED_LOG_INTERVAL_MS);
    expect(read()).toMatchObject([{ code: 'store-failed', count: 999 }]);
    vi.advanceTimersByTime(REPEATED_LOG_INTERVAL_MS * 3);
    expect(read()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    refusals.refused(full, 'http', '127.0.0.7');
    expect(read()).toMatchObject([{ count: 1 }]);
  });

  it('is told at once for each cause where it was no request at all, whatever else is refused', () => {
    const { counters, refusals } = start();
    refusals.refused(new ReenactError('bad-request', 'malformed', { next: 'Look at it.' }), 'http', undefined);
    for (const next of ['Set tls.', 'Send gRPC to grpcPort.', 'Set tls.'])
      refusals.unreadable(new ReenactError('bad-request', 'no request', { next }), 'http', '127.0.0.7');
    expect(read().map(({ next }) => next)).toEqual(['Look at it.', 'Set tls.', 'Send gRPC to grpcPort.']);
    expect(counters.refusedRequests).toEqual({ 'bad-request': 4 });
    refusals.stop();
  });

  it('is told at once for each cause of the same advice, but for what a stranger makes up without end', () => {
    const { counters, refusals } = start();
    const untrusted = (why: string) =>
      new ReenactError('bad-request', `not trusted: ${why}`, { next: 'Give another.' });
    for (const why of ['ended', 'of nobody', 'ended']) refusals.unreadable(untrusted(why), 'grpc', '127.0.0.7');
    expect(read().map(({ message }) => message)).toEqual(['not trusted: ended', 'not trusted: of nobody']);
    for (let number = 0; number < 5000; number += 1) refusals.unreadable(untrusted(`${number}`), 'grpc', '127.0.0.7');
    expect(read()).toHaveLength(REPEATED_KINDS_MAX - 1);
    expect(counters.refusedRequests).toEqual({ 'bad-request': 5003 });
    refusals.stop();
  });

  it('is told at the stop, where it was not told yet', () => {
    const { refusals } = start();
    refusals.refused(full, 'grpc', '127.0.0.7:9');
    refusals.refused(full, 'grpc', '127.0.0.7:9');
    refusals.stop();
    expect(read()).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('items that are rejected', () => {
  it('are counted by what is wrong with them, and told by tenant and signal', () => {
    const { counters, refusals } = start();
    refusals.rejected('shop', 'traces', rejections(2));
    refusals.rejected('shop', 'traces', rejections(5));
    refusals.rejected('other', 'logs', rejections(0));
    expect(counters.rejectedItems).toEqual({ 'bad-trace-id': 7 });
    refusals.stop();
    expect(read()).toMatchObject([
      { level: 'warn', event: 'items rejected', tenant: 'shop', signal: 'traces', count: 2 },
      { count: 5, message: 'item 3 of a request: trace id is all zeros' },
    ]);
  });

  it('fill no log where senders name ever other tenants: the first are told by name, the rest as one', () => {
    const { counters, refusals } = start();
    for (let round = 0; round < 2; round += 1)
      for (let number = 0; number < 5000; number += 1) refusals.rejected(`tenant-${number}`, 'traces', rejections(1));
    expect(counters.rejectedItems).toEqual({ 'bad-trace-id': 10_000 });
    const told = read();
    expect(told).toHaveLength(REPEATED_KINDS_MAX + 1);
    expect(told.at(0)).toMatchObject({ tenant: 'tenant-0', count: 1 });
    expect(told.at(-1)).toMatchObject({ tenant: `tenant-${REPEATED_KINDS_MAX}`, isOneOfMore: true, count: 1 });
    vi.advanceTimersByTime(REPEATED_LOG_INTERVAL_MS);
    const summed = read();
    expect(summed).toHaveLength(REPEATED_KINDS_MAX + 1);
    expect(summed.at(-1)).toMatchObject({ tenant: 'tenant-4999', isOneOfMore: true });
    expect([...told, ...summed].reduce((sum, { count }) => sum + Number(count), 0)).toBe(10_000);
    refusals.stop();
  });
});
