import type { Link } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { ProcessRequests, type RequestTurn } from './process-requests.ts';

/** One that came in, by the last digit of its span's id. */
function come(requests: ProcessRequests, id: number, method = 'POST', path = `/${id}`): RequestTurn {
  const slim = { 'http.request.method': method, 'url.path': path };
  const turn = requests.next({ span: { name: method, kind: 'server', slim } });
  turn.begin({ traceId: '1'.repeat(32), spanId: `${id}`.padStart(16, '0'), traceFlags: 1 });
  return turn;
}

/** The request that a list of links names as the one before, or the latest, and its place. */
function named(links: readonly Link[], key = 'before'): readonly [id: number, place: unknown] | undefined {
  const attribute = `reenact.process.request_${key}`;
  const link = links.find(({ attributes }) => attributes?.[attribute] !== undefined);
  return link && [Number(link.context.spanId), link.attributes?.[attribute]];
}

const nothing = (): string[] => [];

describe('requests of one process', () => {
  it('each name the one before, with its place', () => {
    const requests = new ProcessRequests();
    const turns = [1, 2, 3].map((id) => come(requests, id));
    expect(turns.map(({ linksBefore }) => named(linksBefore))).toEqual([undefined, [1, 1], [2, 2]]);
    expect(turns.map(({ linksSince }) => named(linksSince(nothing)))).toEqual([undefined, undefined, undefined]);
  });

  it('name at their end the latest that came while they went on', () => {
    const requests = new ProcessRequests();
    const long = come(requests, 1);
    expect(long.linksSince(nothing)).toEqual([]);
    const [, last] = [come(requests, 2), come(requests, 3)];
    expect(named(long.linksSince(nothing), 'latest')).toEqual([3, 3]);
    expect(last?.linksSince(nothing)).toEqual([]);
  });

  it('are those that make calls, of a method that changes nothing by itself', () => {
    const requests = new ProcessRequests();
    const asked = come(requests, 1, 'GET');
    const health = come(requests, 2, 'GET');
    asked.called();
    asked.called();
    const second = come(requests, 3);
    expect(named(second.linksBefore)).toEqual([1, 1]);
    expect(health.linksBefore).toEqual([]);
    expect(named(health.linksSince(nothing), 'latest')).toEqual([3, 2]);
  });

  it('name at their end one that came before or beside them and made its first call only then', () => {
    const requests = new ProcessRequests();
    const slow = come(requests, 1, 'GET');
    const asking = come(requests, 2, 'GET');
    slow.called();
    asking.called();
    expect(named(asking.linksBefore)).toBeUndefined();
    expect(named(asking.linksSince(nothing))).toEqual([1, 1]);
    expect(named(come(requests, 3).linksBefore)).toEqual([2, 2]);
  });

  it('name the latest that has ended, too, where the one before goes on', () => {
    const requests = new ProcessRequests();
    come(requests, 1).end();
    const watched = come(requests, 2);
    const places = ({ linksBefore }: RequestTurn): unknown[] =>
      linksBefore.map(({ attributes }) => attributes?.['reenact.process.request_before']);
    const third = come(requests, 3);
    expect([places(watched), places(third)]).toEqual([[1], [2, 1]]);
    third.end();
    expect(places(come(requests, 4))).toEqual([3]);
    watched.end();
    expect(places(come(requests, 5))).toEqual([4, 3]);
  });

  it('whose method is not known, as calls of gRPC, count', () => {
    const requests = new ProcessRequests();
    const turn = requests.next({ span: { name: 'orders.Desk/Ask', kind: 'server' } });
    turn.begin({ traceId: '1'.repeat(32), spanId: '7'.padStart(16, '0'), traceFlags: 1 });
    expect(named(come(requests, 8).linksBefore)).toEqual([7, 1]);
  });
});

describe('requests that call nothing, of a method that changes nothing by itself', () => {
  it('count where one before has called for their path', () => {
    const requests = new ProcessRequests();
    come(requests, 1, 'GET', '/price').called();
    come(requests, 2, 'GET', '/health');
    const again = come(requests, 3, 'GET', '/price');
    expect(named(again.linksBefore)).toEqual([1, 1]);
    expect(named(come(requests, 4, 'GET', '/health').linksBefore)).toEqual([3, 2]);
    expect(named(come(requests, 5).linksBefore)).toEqual([3, 2]);
  });

  it('count for the paths that were called for last, of a service with an id in each', () => {
    const requests = new ProcessRequests();
    come(requests, 1, 'GET', '/price').called();
    for (let id = 0; id < 1_000; id += 1) come(requests, 2, 'GET', `/orders/${id}`).called();
    come(requests, 3, 'GET', '/price');
    come(requests, 4, 'GET', '/orders/999');
    expect(named(come(requests, 5).linksBefore)).toEqual([4, 1_002]);
  });
});

describe('requests that bring back what an answer gave', () => {
  it('name the first whose answer gave it, whether it counts or not', () => {
    const requests = new ProcessRequests();
    const page = come(requests, 1, 'GET');
    page.end();
    page.gave(['a']);
    const logIn = come(requests, 2);
    logIn.end();
    logIn.gave(['b', 'a']);
    const next = come(requests, 3, 'GET');
    const given = (brought: string[]): unknown =>
      next
        .linksSince(() => brought)
        .flatMap(({ context, attributes }) => [
          [Number(context.spanId), attributes?.['reenact.process.request_given']],
        ]);
    expect(given(['a'])).toEqual([[1, 0]]);
    expect(given(['b', 'a', 'other'])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    expect(given(['other'])).toEqual([]);
  });

  it('never name themselves, and forget what was not brought back for long', () => {
    const requests = new ProcessRequests();
    const kept = come(requests, 1);
    kept.gave(['kept', 'lost']);
    const own = come(requests, 2);
    own.gave(['own']);
    expect(own.linksSince(() => ['own'])).toEqual([]);
    for (let index = 0; index < 5_000; index += 1) {
      own.gave([`${index}`]);
      come(requests, 3).linksSince(() => ['kept']);
    }
    const late = come(requests, 4);
    expect(
      named(
        late.linksSince(() => ['kept']),
        'given',
      ),
    ).toEqual([1, 1]);
    expect(late.linksSince(() => ['lost'])).toEqual([]);
  });
});
