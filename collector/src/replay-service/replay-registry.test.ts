import { isReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { ReplayRegistry } from './replay-registry.ts';

const nobody = { flush: () => undefined, over: () => undefined };

function codeOf(call: () => unknown): string {
  try {
    call();
    return 'done';
  } catch (error) {
    return isReenactError(error) ? error.code : String(error);
  }
}

function access(number: number): { replayId: string; proof: string } {
  return { replayId: `r${number}`, proof: `p${number}` };
}

function order(number: number, tenant = 'shop', lifeMs = 60_000) {
  return { ...access(number), tenant, order: '', lifeMs };
}

function hold(registry: ReplayRegistry, number: number, bytes: number, tenant?: string): void {
  const registration = registry.register(order(number, tenant));
  registration.take(Buffer.alloc(bytes));
  registration.complete();
}

describe('what a registry holds', () => {
  it('is bounded in replays, and given back when one ends', () => {
    const registry = new ReplayRegistry({ replaysMax: 2 });
    hold(registry, 1, 10);
    hold(registry, 2, 10);
    expect(codeOf(() => hold(registry, 3, 10))).toBe('too-large');
    registry.end(access(1));
    expect(codeOf(() => hold(registry, 3, 10))).toBe('done');
    registry.stop();
    expect([registry.size, registry.bytesHeld]).toEqual([0, 0]);
  });

  it('is bounded in bytes of recordings and reports together', () => {
    const registry = new ReplayRegistry({ bytesMax: 100 });
    hold(registry, 1, 60);
    expect(codeOf(() => hold(registry, 2, 60))).toBe('too-large');
    const report = { ...access(1), processId: 'one', lines: Buffer.alloc(30), flush: 0 };
    registry.report(report);
    expect(codeOf(() => registry.report(report))).toBe('too-large');
    expect(registry.bytesHeld).toBe(90);
    registry.end(access(1));
    expect(registry.bytesHeld).toBe(0);
  });

  it('forgets what a driver that went away had sent', () => {
    const registry = new ReplayRegistry({ bytesMax: 100 });
    const registration = registry.register(order(1));
    registration.take(Buffer.alloc(90));
    registration.abandon();
    registration.abandon();
    expect(registry.bytesHeld).toBe(0);
  });

  it('is bounded in the processes of one replay; one that comes back is not counted twice', () => {
    const registry = new ReplayRegistry({ membersMax: 1 });
    hold(registry, 1, 1);
    const join = (processId: string): void => registry.join({ ...access(1), processId, service: 's' }, nobody).leave();
    join('one');
    expect(codeOf(() => join('one'))).toBe('done');
    expect(codeOf(() => join('two'))).toBe('too-large');
    registry.stop();
  });
});

describe('a registry of several tenants', () => {
  it('leaves replays to others, however many one begins, and however few of these it completes', () => {
    const registry = new ReplayRegistry({ replaysMax: 40, isShared: true });
    for (let number = 0; number < 30; number += 1) expect(codeOf(() => hold(registry, number, 1))).toBe('done');
    expect(() => hold(registry, 30, 1)).toThrow(/its share of the 40 replays/);
    expect(codeOf(() => hold(registry, 31, 1, 'bank'))).toBe('done');
    registry.stop();
    const begun = Array.from({ length: 30 }, (_, number) => registry.register(order(number)));
    expect(codeOf(() => hold(registry, 30, 1))).toBe('too-large');
    for (const registration of begun) registration.abandon();
    expect(codeOf(() => hold(registry, 30, 1))).toBe('done');
    registry.stop();
  });

  it('leaves bytes to others, and gives back to each what was its own', () => {
    const registry = new ReplayRegistry({ bytesMax: 100, isShared: true });
    hold(registry, 1, 75);
    const report = { ...access(1), processId: 'one', lines: Buffer.alloc(1), flush: 0 };
    expect(codeOf(() => registry.report(report))).toBe('too-large');
    hold(registry, 2, 20, 'bank');
    registry.end(access(1));
    hold(registry, 3, 40, 'bank');
    expect(codeOf(() => hold(registry, 4, 70, 'bank'))).toBe('too-large');
    expect(codeOf(() => hold(registry, 5, 40, 'shop'))).toBe('done');
    registry.stop();
    expect([registry.size, registry.bytesHeld]).toEqual([0, 0]);
  });
});

describe('gathering', () => {
  it('waits for a service that is working, and not for one that goes away meanwhile', async () => {
    const registry = new ReplayRegistry();
    hold(registry, 1, 1);
    const asked: number[] = [];
    const working = { flush: (number: number) => void asked.push(number), over: () => undefined };
    registry.join({ ...access(1), processId: 'one', service: 's' }, working);
    const going = registry.join({ ...access(1), processId: 'two', service: 's' }, nobody);
    let isDone = false;
    const gathering = registry.gather(access(1), 60_000).then((parts) => {
      isDone = true;
      return parts;
    });
    going.leave();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    registry.report({ ...access(1), processId: 'one', lines: Buffer.from('a\n'), flush: asked[0] ?? 0 });
    expect(await gathering).toEqual([
      { participant: { processId: 'one', service: 's', hasAnswered: true } },
      { participant: { processId: 'two', service: 's', hasAnswered: false } },
      { lines: Buffer.from('a\n') },
    ]);
    registry.stop();
  });
});

describe('the longest life of a replay', () => {
  it('is what the registry was given, and what its refusal names', () => {
    const registry = new ReplayRegistry({ lifeMaxMs: 10 });
    const asking = (lifeMs: number) => () => registry.register(order(1, 'shop', lifeMs)).abandon();
    expect(asking(10)).not.toThrow();
    expect(asking(11)).toThrow('from 1 to 10');
  });
});
