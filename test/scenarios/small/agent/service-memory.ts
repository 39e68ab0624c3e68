import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Performance, type Program } from '../../../conformance/instrumentation/performance.ts';
import type { MemoryUse, RequestProgram } from './service-program.ts';

type Does<Name extends MemoryUse['does']> = Extract<MemoryUse, { readonly does: Name }>;

interface Gathered {
  readonly names: string[];
  readonly answer: Promise<string>;
}

/** What a service keeps in memory, as services do: caches, calls that several wait for, queues, counters, events. */
export class ServiceMemory {
  private readonly address: string;
  private readonly kept = new Map<string, Promise<unknown>>();
  private readonly flights = new Map<string, Promise<unknown>>();
  private readonly cached = new Map<string, { readonly value: unknown; readonly until: number }>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly gathered = new Map<string, Gathered>();
  private readonly failures = new Map<string, number>();
  private readonly counts = new Map<string, number>();
  private readonly events = new EventEmitter().setMaxListeners(0);
  private readonly goingOn = new Set<Promise<unknown>>();

  /** `address`: of a server such as `startProgramPeer` starts. */
  constructor(address: string) {
    this.address = address;
  }

  /** Does what a request asks for, and says what came of it and what it heard of. */
  async answer({ name, uses, isTogether }: RequestProgram): Promise<unknown> {
    const performance = new Performance(this.address);
    const outcomes: unknown[] = [];
    const one = async (use: MemoryUse, index: number): Promise<void> => {
      const place = `${name}.${index}`;
      const outcome = await this.use(use, place, performance).catch(
        (error: Error) => `${error.name}: ${error.message}`,
      );
      performance.heard.push(`${place} has its own`);
      outcomes[index] = outcome;
    };
    if (isTogether) await Promise.all(uses.map(one));
    else for (const [index, use] of uses.entries()) await one(use, index);
    this.keepGoing(performance.over());
    return { outcomes, heard: [...performance.heard] };
  }

  /** Waits for what goes on behind the answers. */
  async over(): Promise<void> {
    while (this.goingOn.size > 0) await Promise.allSettled(this.goingOn);
  }

  private keepGoing(work: Promise<unknown>): void {
    this.goingOn.add(work);
    work.catch(() => undefined).finally(() => this.goingOn.delete(work));
  }

  private async use(use: MemoryUse, place: string, at: Performance): Promise<unknown> {
    const perform = (part: Program, named = place): Promise<unknown> => at.perform(part, named);
    switch (use.does) {
      case 'alone':
        return perform(use.part);
      case 'once':
        return getOrMake(this.kept, use.key, () => perform(use.part));
      case 'in-flight':
        return getOrMake(this.flights, use.key, () => perform(use.part).finally(() => this.flights.delete(use.key)));
      case 'in-turn':
        return this.inTurn(use, () => perform(use.part));
      case 'guarded':
        return this.guardedBy(use, () => perform(use.part));
      case 'behind':
        return this.keepGoing(perform(use.part, `${place}.behind`).then(() => this.count(use.key)));
      case 'cached':
        return this.fromCache(use, () => perform(use.part));
      case 'gathered':
        return this.gather(use, place);
      case 'awaited':
        return Promise.race([once(this.events, use.key).then(([said]) => said), pause(use.ms, 'nobody said it')]);
      case 'counted':
        return this.count(use.key);
      case 'said':
        return this.events.emit(use.key, `${place} ${Math.random()}`);
    }
  }

  private count(key: string): number {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** One after the other, of all requests. */
  private inTurn({ key }: Does<'in-turn'>, perform: () => Promise<unknown>): Promise<unknown> {
    const before = this.turns.get(key) ?? Promise.resolve();
    const own = before.catch(() => undefined).then(perform);
    this.turns.set(key, own);
    return own;
  }

  /** Not asked any more once it has failed twice. */
  private async guardedBy({ key }: Does<'guarded'>, perform: () => Promise<unknown>): Promise<unknown> {
    const failures = this.failures.get(key) ?? 0;
    if (failures >= 2) return 'not asked';
    try {
      const outcome = await perform();
      this.failures.set(key, 0);
      return outcome;
    } catch (error) {
      this.failures.set(key, failures + 1);
      throw error;
    }
  }

  private async fromCache({ key, ms }: Does<'cached'>, perform: () => Promise<unknown>): Promise<unknown> {
    const known = this.cached.get(key);
    if (known !== undefined && Date.now() < known.until) return ['known', known.value];
    const value = await perform();
    this.cached.set(key, { value, until: Date.now() + ms });
    return value;
  }

  /** Those that ask within so long share one call, which the first of them makes. */
  private async gather({ key, ms }: Does<'gathered'>, place: string): Promise<unknown> {
    const { names, answer } = getOrMake(this.gathered, key, () => {
      const asking: string[] = [];
      return {
        names: asking,
        answer: pause(ms).then(async () => {
          this.gathered.delete(key);
          return await (await fetch(`${this.address}/${ms}/200?${asking.join()}`)).text();
        }),
      };
    });
    names.push(place);
    return answer;
  }
}

function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
