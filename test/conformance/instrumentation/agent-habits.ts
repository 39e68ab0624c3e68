import { EventEmitter, on } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setInterval as beats, setTimeout as pause } from 'node:timers/promises';
import type { HabitPlace } from './habit-place.ts';

/** How agents wait, hand on and give up; each is done at a place, which whoever hears of it names. */
export type AgentHabit =
  | { readonly does: 'streamed'; readonly ms: number; readonly count: number; readonly taken: number }
  | { readonly does: 'aborted'; readonly ms: number; readonly afterMs: number; readonly by: 'controller' | 'timeout' }
  | { readonly does: 'posted'; readonly ms: number; readonly count: number }
  | { readonly does: 'retried'; readonly ms: number; readonly count: number }
  | { readonly does: 'until' | 'emitted' | 'ticking'; readonly ms: number }
  | { readonly does: 'ticks'; readonly count: number };

type Does<Name extends AgentHabit['does']> = AgentHabit & { readonly does: Name };

const agentOfConnections = new Agent({ keepAlive: true });

/** Reads an answer as it comes, and leaves when it has enough. */
async function streamed({ ms, count, taken }: Does<'streamed'>, at: HabitPlace): Promise<unknown> {
  const answer = await fetch(`${at.address}/stream/${ms}/${count}?${at.place}`);
  const pieces: string[] = [];
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    at.hear(`piece ${pieces.push(piece)}`);
    if (pieces.length === taken) break;
  }
  return pieces.join('');
}

/** Asks, and gives up in the middle. */
async function aborted({ ms, afterMs, by }: Does<'aborted'>, at: HabitPlace): Promise<unknown> {
  const controller = new AbortController();
  const signal = by === 'timeout' ? AbortSignal.timeout(afterMs) : controller.signal;
  const timer = by === 'timeout' ? undefined : setTimeout(() => controller.abort(new Error('enough')), afterMs);
  try {
    const answer = await fetch(`${at.address}/${ms}/200?${at.place}`, { signal });
    return await answer.text();
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends pieces over a connection that is kept, one after the other. */
function posted({ ms, count }: Does<'posted'>, at: HabitPlace): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent: agentOfConnections };
    const call = request(`${at.address}/${ms}/200?${at.place}`, options, (response) => {
      at.hear(`status ${response.statusCode}`);
      text(response).then(resolve, reject);
    });
    call.on('error', reject);
    for (let number = 0; number < count; number += 1) call.write(`${number} of ${at.place}`);
    call.end();
  });
}

/** Asks again, later each time, until it may not any more. */
async function retried({ ms, count }: Does<'retried'>, at: HabitPlace): Promise<unknown> {
  for (let attempt = 0; attempt < count; attempt += 1) {
    const answer = await fetch(`${at.address}/${ms}/503?${at.place}`);
    at.hear(`attempt ${attempt} ${(await answer.text()).length > 0}`);
    await pause(Math.ceil(ms * 2 ** attempt * Math.random()));
  }
  return 'given up';
}

/** Looks at the clock until it is time. */
async function until({ ms }: Does<'until'>): Promise<unknown> {
  const end = Date.now() + ms;
  let looks = 0;
  while (Date.now() < end) {
    looks += 1;
    await pause(1);
  }
  return looks;
}

/** Hears events of its own, until the third. */
async function emitted({ ms }: Does<'emitted'>, at: HabitPlace): Promise<unknown> {
  const emitter = new EventEmitter();
  const timer = setInterval(() => emitter.emit('said', Math.random()), ms);
  const said: unknown[] = [];
  for await (const [number] of on(emitter, 'said')) {
    at.hear(`event ${said.push(number)}`);
    if (said.length === 3) break;
  }
  clearInterval(timer);
  return said;
}

/** Goes by the beats of an iterator. */
async function ticking({ ms }: Does<'ticking'>, at: HabitPlace): Promise<unknown> {
  let count = 0;
  for await (const word of beats(ms, 'beat')) {
    count += 1;
    at.hear(`${word} ${count}`);
    if (count === 3) break;
  }
  return count;
}

/** Hands on within a turn of the event loop. */
async function ticks({ count }: Does<'ticks'>): Promise<unknown> {
  for (let number = 0; number < count; number += 1) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await new Promise<void>((resolve) => queueMicrotask(resolve));
  }
  return 'ticked';
}

const habits: { readonly [Name in AgentHabit['does']]: (habit: Does<Name>, at: HabitPlace) => Promise<unknown> } = {
  streamed,
  aborted,
  posted,
  retried,
  until,
  emitted,
  ticking,
  ticks,
};

/** Whether what a program does is such a habit. */
export function isAgentHabit(program: { readonly does: string }): program is AgentHabit {
  return program.does in habits;
}

/** Does it, and gives what came of it. */
export function doHabit<Name extends AgentHabit['does']>(habit: Does<Name>, at: HabitPlace): Promise<unknown> {
  return habits[habit.does as Name](habit, at);
}
