import { EventEmitter } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from '@reenact/instrumentation';
import { type AgentHabit, doHabit, isAgentHabit } from './agent-habits.ts';
import { type CallHabit, doCallHabit, isCallHabit } from './call-habits.ts';
import type { HabitPlace } from './habit-place.ts';
import { askModel, isModelHabit, type ModelHabit } from './model-habits.ts';
import { isOutsideWork, type OutsideWork, workOutside } from './work-outside.ts';

/** What an agent that was generated does. Each of its calls takes real time when it is recorded. */
export type Program =
  | { readonly does: 'work' | 'fetch' | 'get'; readonly ms: number; readonly fails: boolean }
  | { readonly does: 'words'; readonly ms: number; readonly count: number; readonly taken: number }
  | AgentHabit
  | CallHabit
  | ModelHabit
  | { readonly does: 'sequence' | 'together' | 'race' | 'any' | 'limited'; readonly parts: readonly Program[] }
  | { readonly does: 'nested' | 'caught' | 'in-tool' | 'shared' | 'left'; readonly part: Program }
  | { readonly does: 'turns'; readonly count: number }
  | { readonly does: 'sleep' | 'spin' | 'beats'; readonly ms: number }
  | { readonly does: OutsideWork; readonly amount: number }
  | { readonly does: 'deadline' | 'told'; readonly ms: number; readonly part: Program };

const work = tool('work', async (place: string, forMs: number, fails: boolean): Promise<string> => {
  await pause(forMs);
  if (fails) throw new RangeError(`no ${place}`);
  return `${place} ${Math.random()}`;
});

const words = tool('words', async function* (place: string, everyMs: number, count: number): AsyncGenerator<string> {
  for (let number = 0; number < count; number += 1) {
    await pause(everyMs);
    yield `${place} ${number} ${Math.random()}`;
  }
});

/** Computes for so long, so that whatever is due meanwhile is late. */
async function spin(forMs: number): Promise<string> {
  const began = process.hrtime.bigint();
  while (process.hrtime.bigint() - began < forMs * 1e6);
  return 'spun';
}

/** Lets the event loop turn, as what computes for long does now and then. */
async function turns(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return 'turned';
}

/** A tool that is a program itself: in a replay nothing inside of it happens. It waits last, for what ends in the turn in which it began has limits of its own. */
const whole = tool('whole', async (part: Program, address: string, place: string): Promise<unknown> => {
  const inside = new Performance(address);
  const outcome = await inside.perform(part, place).finally(() => pause(1));
  return { outcome, heard: [...inside.heard] };
});

/** One run of a program. */
export class Performance {
  /** What the agent heard of, in order. */
  readonly heard: string[] = [];
  private readonly address: string;
  private readonly leftBehind: Promise<unknown>[] = [];

  /** `address`: of a server such as `startProgramPeer` starts. */
  constructor(address: string) {
    this.address = address;
  }

  /** Does it, and gives what came of it. Throws what the program does not catch, once nothing of it goes on. */
  async perform(program: Program, place = 'all'): Promise<unknown> {
    try {
      return await this.outcomeOf(program, place);
    } finally {
      // Whoever hears of something draws: what was drawn beside it may not be mixed up.
      this.heard.push(`${place} ${Math.random()}`);
    }
  }

  /** Waits for what it has left behind. */
  async over(): Promise<void> {
    for (let part = this.leftBehind.shift(); part !== undefined; part = this.leftBehind.shift()) await part;
  }

  private outcomeOf(program: Program, place: string): Promise<unknown> {
    if (isAgentHabit(program)) return doHabit(program, this.at(place));
    if (isCallHabit(program)) return doCallHabit(program, this.at(place));
    if (isModelHabit(program)) return askModel(program, this.at(place));
    if (isOutsideWork(program)) return workOutside(program.does, program.amount);
    switch (program.does) {
      case 'work':
        return work(place, program.ms, program.fails);
      case 'fetch':
        return this.fetched(program, place);
      case 'get':
        return this.got(program, place);
      case 'words':
        return this.taken(program, place);
      case 'sequence':
        return this.oneByOne(program.parts, place);
      case 'together':
        return this.allAtOnce(program.parts, place);
      case 'race':
        return this.first(program.parts, place);
      case 'any':
        return this.anyOf(program.parts, place);
      case 'limited':
        return this.twoAtATime(program.parts, place);
      case 'nested':
        return agent('inner', (inside: string) => this.perform(program.part, inside))(`${place}.in`);
      case 'in-tool':
        return whole(program.part, this.address, place);
      case 'shared':
        return this.shared(program.part, place);
      case 'left':
        return this.left(program.part, place);
      case 'told':
        return this.told(program.part, program.ms, place);
      case 'sleep':
        return pause(program.ms, 'slept');
      case 'spin':
        return spin(program.ms);
      case 'beats':
        return this.beats(program.ms, place);
      case 'turns':
        return turns(program.count);
      case 'deadline':
        return this.inTime(program.part, program.ms, place);
      case 'caught':
        return this.perform(program.part, `${place}.try`).catch((error: Error) => `${error.name}: ${error.message}`);
    }
  }

  private at(place: string): HabitPlace {
    return { address: this.address, place, hear: (what) => void this.heard.push(`${place} ${what}`) };
  }

  private url(program: { readonly ms: number; readonly fails: boolean }, place: string): string {
    return `${this.address}/${program.ms}/${program.fails ? 503 : 200}?${place}`;
  }

  private async fetched(program: { readonly ms: number; readonly fails: boolean }, place: string): Promise<unknown> {
    const answer = await fetch(this.url(program, place));
    return [answer.status, await answer.text()];
  }

  private got(program: { readonly ms: number; readonly fails: boolean }, place: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request = get(this.url(program, place), (response) => {
        text(response).then((body) => resolve([response.statusCode, body]), reject);
      });
      request.on('error', reject);
    });
  }

  private async taken(program: Extract<Program, { does: 'words' }>, place: string): Promise<string[]> {
    const said: string[] = [];
    for await (const word of words(place, program.ms, program.count)) {
      this.heard.push(`${place} ${said.push(word)}`);
      if (said.length === program.taken) break;
    }
    return said;
  }

  private async inTime(part: Program, limitMs: number, place: string): Promise<unknown> {
    const going = this.perform(part, `${place}.in`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs, 'late');
    });
    try {
      return await Promise.race([going, late]);
    } finally {
      clearTimeout(timer);
      await Promise.allSettled([going]);
    }
  }

  private beats(everyMs: number, place: string): Promise<unknown> {
    return new Promise((resolve) => {
      let count = 0;
      const timer = setInterval(() => {
        count += 1;
        this.heard.push(`${place} ${count}`);
        if (count < 3) return;
        clearInterval(timer);
        resolve('beaten');
      }, everyMs);
    });
  }

  private async oneByOne(parts: readonly Program[], place: string): Promise<unknown[]> {
    const outcomes: unknown[] = [];
    for (const [index, part] of parts.entries()) outcomes.push(await this.perform(part, `${place}.${index}`));
    return outcomes;
  }

  private async allAtOnce(parts: readonly Program[], place: string): Promise<unknown[]> {
    const going = parts.map((part, index) => this.perform(part, `${place}.${index}`));
    try {
      return await Promise.all(going);
    } finally {
      await Promise.allSettled(going);
    }
  }

  private async first(parts: readonly Program[], place: string): Promise<unknown> {
    const going = parts.map((part, index) => this.perform(part, `${place}.${index}`));
    try {
      return await Promise.race(going);
    } finally {
      await Promise.allSettled(going);
    }
  }

  private async anyOf(parts: readonly Program[], place: string): Promise<unknown> {
    const going = parts.map((part, index) => this.perform(part, `${place}.${index}`));
    try {
      return await Promise.any(going);
    } finally {
      await Promise.allSettled(going);
    }
  }

  /** Two wait for the same, of which the second comes later. */
  private async shared(part: Program, place: string): Promise<unknown> {
    const going = this.perform(part, `${place}.once`);
    const later = pause(2).then(() => going.then((outcome) => [this.heard.push(`${place} late`), outcome]));
    return (await Promise.allSettled([going, later])).map(({ status }) => status);
  }

  /** Begins it and does not wait for it. */
  private async left(part: Program, place: string): Promise<string> {
    this.leftBehind.push(this.perform(part, `${place}.left`).catch(() => undefined));
    return 'left';
  }

  /** Does it when an event says so, in whatever context that has. */
  private told(part: Program, ms: number, place: string): Promise<unknown> {
    const teller = new EventEmitter();
    const outcome = new Promise((resolve, reject) => {
      teller.once('now', () => void this.perform(part, `${place}.now`).then(resolve, reject));
    });
    setTimeout(() => teller.emit('now'), ms);
    return outcome;
  }

  /** Begins the next part when one ends, as a queue with a limit does. */
  private async twoAtATime(parts: readonly Program[], place: string): Promise<unknown[]> {
    const waiting = [...parts.entries()];
    const outcomes: unknown[] = [];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, part] = next;
        outcomes.push(await this.perform(part, `${place}.${index}`).catch(String));
      }
    };
    await Promise.all([worker(), worker()]);
    return outcomes;
  }
}
