import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type QueuedTrace, SummaryQueue } from './summary-queue.ts';

function trace(tenant: string, traceId: string, revision = 1) {
  return { tenant, traceId, revision, change: revision };
}

function queueOf(...names: readonly string[]): SummaryQueue {
  const queue = new SummaryQueue();
  for (const name of names) queue.add(trace(name.slice(0, 1), name));
  return queue;
}

function takeAll(queue: SummaryQueue): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.traceId);
  return taken;
}

describe('a queue of summaries', () => {
  it('lets tenants take turns, and gives those of one tenant in order', () => {
    expect(takeAll(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives what is preferred of a tenant first, and others no later for it', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2');
    for (const name of ['a3', 'a2', 'a9']) queue.prefer(trace('a', name));
    const before = queue.tenants;
    expect(takeAll(queue)).toEqual(['a3', 'b1', 'a2', 'b2', 'a1']);
    expect([before, queue.tenants]).toEqual([2, 0]);
  });

  it('leaves a trace in its place when more of it comes, and gives its newest revision', () => {
    const queue = queueOf('a1', 'a2');
    queue.add(trace('a', 'a1', 7));
    expect(queue.lastTicket).toBe(2);
    expect(queue.take()).toMatchObject({ traceId: 'a1', revision: 7 });
  });

  it('queues a trace in work again only for a newer revision', () => {
    const queue = queueOf('a1');
    const first = queue.take() as QueuedTrace;
    queue.add(trace('a', 'a1', 1));
    expect(queue.isEmpty).toBe(true);
    queue.add(trace('a', 'a1', 2));
    queue.finish(first);
    expect(queue.take()).toMatchObject({ traceId: 'a1', revision: 2 });
  });

  it('takes a promoted trace first, once', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1');
    queue.promote('a', 'a3');
    queue.promote('a', 'a3');
    queue.promote('b', 'a1');
    expect(takeAll(queue)).toEqual(['a3', 'a1', 'b1', 'a2']);
  });

  it('is through when what was queued up to a ticket is finished, whatever came later or belongs to others', () => {
    const queue = queueOf('a1', 'b1', 'b2');
    const ticket = queue.lastTicket;
    queue.add(trace('a', 'a2'));
    const [first, second] = [queue.take() as QueuedTrace, queue.take() as QueuedTrace];
    expect([first.traceId, second.traceId]).toEqual(['a1', 'b1']);
    expect(queue.isThrough('a', ticket)).toBe(false);
    queue.finish(first);
    expect([queue.isThrough('a', ticket), queue.isThrough('b', ticket)]).toEqual([true, false]);
    expect(queue.isThrough('a', queue.lastTicket)).toBe(false);
  });
});

describe('whatever is queued, promoted and finished', () => {
  const name = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 5 }));
  const step = fc.oneof(
    fc.record({ type: fc.constant('add' as const), name, revision: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ type: fc.constant('promote' as const), name }),
    fc.record({ type: fc.constantFrom('take' as const, 'finish' as const) }),
  );

  it('a tenant is through exactly when none of its traces up to the ticket waits or is in work', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const queue = new SummaryQueue();
        const open = new Map<string, number>();
        const working: QueuedTrace[] = [];
        for (const one of steps) {
          if (one.type === 'add') {
            const [tenant, number] = one.name;
            const before = queue.lastTicket;
            queue.add(trace(tenant, `${number}`, one.revision));
            if (queue.lastTicket > before) open.set(`${queue.lastTicket}`, queue.lastTicket);
          } else if (one.type === 'promote') queue.promote(one.name[0], `${one.name[1]}`);
          else if (one.type === 'take') working.push(...[queue.take()].filter((taken) => taken !== undefined));
          else {
            const done = working.shift();
            if (done !== undefined) queue.finish(done);
            open.delete(`${done?.ticket}`);
          }
          const oldest = Math.min(...open.values(), Number.POSITIVE_INFINITY);
          const isThrough = ['a', 'b', 'c'].every((tenant) => queue.isThrough(tenant, oldest - 1));
          expect(isThrough).toBe(true);
          if (open.size > 0) expect(['a', 'b', 'c'].every((tenant) => queue.isThrough(tenant, oldest))).toBe(false);
        }
      }),
    );
  });
});
