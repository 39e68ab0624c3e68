import { once } from 'node:events';
import { Readable, Transform } from 'node:stream';
import { setTimeout as pause, scheduler } from 'node:timers/promises';
import { boundary, tool } from '@reenact/instrumentation';
import type { HabitPlace } from './habit-place.ts';

/** How agents call and hand on what they were given; each is done at a place, which whoever hears of it names. */
export type CallHabit =
  | { readonly does: 'asked'; readonly ms: number; readonly count: number }
  | { readonly does: 'asked-at-once' | 'called-back' | 'drawn' | 'yielded'; readonly count: number }
  | { readonly does: 'merged' | 'teed' | 'piped'; readonly ms: number; readonly count: number }
  | { readonly does: 'clocked' | 'once'; readonly ms: number }
  | { readonly does: 'either-signal'; readonly ms: number; readonly afterMs: number };

type Does<Name extends CallHabit['does']> = CallHabit & { readonly does: Name };

/** A client that somebody wrapped, with the shapes that drivers have. */
class Store {
  readonly #seen: string[] = [];

  async rows(place: string, forMs: number): Promise<string[]> {
    await pause(forMs);
    this.#seen.push(`${place} ${Math.random()}`);
    return [...this.#seen];
  }

  row(place: string): string {
    return `${place} ${this.#seen.length} ${Math.random()}`;
  }

  get(place: string, callback: (error: Error | null, row?: string) => void): void {
    setImmediate(() => callback(null, `${place} ${Math.random()}`));
  }
}

const store = boundary.client(new Store(), {
  kind: 'database',
  name: 'store',
  methods: { rows: {}, row: {}, get: { callback: true } },
});

const numbers = tool('numbers', function* (place: string, count: number): Generator<string> {
  for (let number = 0; number < count; number += 1) yield `${place} ${number} ${Math.random()}`;
});

const words = tool('spoken', async function* (place: string, everyMs: number, count: number): AsyncGenerator<string> {
  for (let number = 0; number < count; number += 1) {
    await pause(everyMs);
    yield `${place} ${number} ${Math.random()}`;
  }
});

async function asked({ ms, count }: Does<'asked'>, at: HabitPlace): Promise<unknown> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => store.rows(at.place, ms + index)));
  return answers.at(-1);
}

async function askedAtOnce({ count }: Does<'asked-at-once'>, at: HabitPlace): Promise<unknown> {
  return Array.from({ length: count }, () => store.row(at.place));
}

async function calledBack({ count }: Does<'called-back'>, at: HabitPlace): Promise<unknown> {
  const rows: unknown[] = [];
  for (let number = 0; number < count; number += 1) {
    await new Promise<void>((resolve, reject) => {
      store.get(at.place, (error, row) => {
        at.hear(`row ${rows.push(row)}`);
        if (error === null) resolve();
        else reject(error);
      });
    });
  }
  return rows;
}

async function yielded({ count }: Does<'yielded'>, at: HabitPlace): Promise<unknown> {
  const taken: string[] = [];
  for (const number of numbers(at.place, 4)) {
    if (taken.push(number) === count) break;
  }
  return taken;
}

async function drawn({ count }: Does<'drawn'>): Promise<unknown> {
  return Array.from({ length: count }, () => [Math.random(), crypto.randomUUID()]);
}

/** Reads two streams as one, each piece when it is there. */
async function merged({ ms, count }: Does<'merged'>, at: HabitPlace): Promise<unknown> {
  const sources = [words(`${at.place} a`, ms, count), words(`${at.place} b`, ms + 1, count)];
  const next = (index: number) => sources[index]?.next().then((step) => ({ index, step }));
  const going = new Map(sources.map((_, index) => [index, next(index)]));
  const taken: string[] = [];
  while (going.size > 0) {
    const came = await Promise.race(going.values());
    if (came === undefined || came.step.done === true) going.delete(came?.index ?? 0);
    else {
      at.hear(`piece ${taken.push(came.step.value)}`);
      going.set(came.index, next(came.index));
    }
  }
  return taken;
}

/** Reads an answer twice, side by side. */
async function teed({ ms, count }: Does<'teed'>, at: HabitPlace): Promise<unknown> {
  const answer = await fetch(`${at.address}/stream/${ms}/${count}?${at.place}`);
  const copy = answer.clone();
  const pieces = async (body: ReadableStream<Uint8Array> | null, name: string): Promise<number> => {
    let bytes = 0;
    for await (const piece of body ?? []) {
      bytes += piece.length;
      at.hear(`${name} ${bytes}`);
    }
    return bytes;
  };
  return Promise.all([pieces(answer.body, 'one'), pieces(copy.body, 'other')]);
}

/** Has what a tool says go through streams of the platform. */
async function piped({ ms, count }: Does<'piped'>, at: HabitPlace): Promise<unknown> {
  const upper = new Transform({
    objectMode: true,
    transform: (word: string, _encoding, done) => {
      setImmediate(() => done(null, word.toUpperCase()));
    },
  });
  const said: unknown[] = [];
  for await (const word of Readable.from(words(at.place, ms, count)).pipe(upper)) at.hear(`word ${said.push(word)}`);
  return said;
}

async function clocked({ ms }: Does<'clocked'>): Promise<unknown> {
  const began = [Date.now(), performance.now()];
  await scheduler.wait(ms);
  return [began, Date.now(), performance.now(), new Date().toISOString(), process.hrtime()];
}

async function heardOnce({ ms }: Does<'once'>): Promise<unknown> {
  const target = new EventTarget();
  setTimeout(() => target.dispatchEvent(new Event('there')), ms);
  const [event] = await once(target, 'there');
  return event.type;
}

/** Gives up by whichever of two signals comes first. */
async function eitherSignal({ ms, afterMs }: Does<'either-signal'>, at: HabitPlace): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('enough')), afterMs);
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(afterMs + 1)]);
  try {
    return await (await fetch(`${at.address}/${ms}/200?${at.place}`, { signal })).text();
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}

const habits: { readonly [Name in CallHabit['does']]: (habit: Does<Name>, at: HabitPlace) => Promise<unknown> } = {
  asked,
  'asked-at-once': askedAtOnce,
  'called-back': calledBack,
  yielded,
  drawn,
  merged,
  teed,
  piped,
  clocked,
  once: heardOnce,
  'either-signal': eitherSignal,
};

/** Whether what a program does is such a habit. */
export function isCallHabit(program: { readonly does: string }): program is CallHabit {
  return program.does in habits;
}

/** Does it, and gives what came of it. */
export function doCallHabit<Name extends CallHabit['does']>(habit: Does<Name>, at: HabitPlace): Promise<unknown> {
  return habits[habit.does as Name](habit, at);
}
