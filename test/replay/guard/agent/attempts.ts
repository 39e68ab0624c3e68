import type { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';

/** Things to try, each under a name of its own. */
export type Attempts = Readonly<Record<string, () => unknown>>;

/** How one attempt ended, as the code that made it saw it. */
export interface Attempted {
  readonly name: string;
  readonly value?: unknown;
  /** `code` of the error. */
  readonly code?: string;
  readonly message?: string;
}

const { ATTEMPT_MS_MAX } = process.env;

/** Gives up where a limit is set: without a replay, name servers that are not there are waited for. */
function within(attempted: unknown): unknown {
  if (ATTEMPT_MS_MAX === undefined) return attempted;
  const limit = AbortSignal.timeout(Number(ATTEMPT_MS_MAX));
  return Promise.race([
    attempted,
    new Promise((_, reject) => limit.addEventListener('abort', () => reject(limit.reason), { once: true })),
  ]);
}

async function attempt(name: string, make: () => unknown): Promise<Attempted> {
  try {
    return { name, value: await within(make()) };
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    return { name, code: code ?? 'no code', message: message ?? String(error) };
  }
}

/** Tries one after the other and prints how each ended, a line of JSON each. */
export async function attemptAll(attempts: Attempts): Promise<void> {
  for (const [name, make] of Object.entries(attempts)) {
    writeSync(1, `${JSON.stringify(await attempt(name, make))}\n`);
  }
}

/** A function in the form in which its last parameter is called back. */
export function calledBack(call: (done: (error: unknown, value?: unknown) => void) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** Rejects with the event `error`, which must not come before this turn is over; resolves with one of the others. */
export function ending(emitter: EventEmitter, ...events: string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    emitter.once('error', reject);
    for (const event of events) emitter.once(event, () => resolve(event));
  });
}
