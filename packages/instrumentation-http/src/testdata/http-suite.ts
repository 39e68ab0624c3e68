import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';
import { HttpInstrumentation } from '../instrumentation.ts';
import type { HttpInstrumentationConfig } from '../types.ts';
import type { ScriptedServer } from './scripted-server.ts';

/**
 * Patches HTTP with the real gate; servers only where asked, for most tests have one; a copy of undici where it is given.
 * Returns how to undo it.
 */
export function patchHttp(config: HttpInstrumentationConfig = {}, undici?: unknown): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const instrumentation = new HttpInstrumentation({ inbound: false, ...config });
  if (undici !== undefined) instrumentation.instrumentUndici(undici);
  return () => {
    instrumentation.disable();
    context.disable();
  };
}

/** What one act did when it was recorded, and what it did when it was served with the server gone. */
export interface BothEnds<Result> {
  readonly recorded: Result;
  readonly replayed: Result;
  readonly calls: RecordedCalls;
  readonly crossings: readonly Crossing[];
  readonly player: TapePlayer;
}

/** Records `act` and gives what it made of it. */
export async function recordAct<Result>(
  act: () => Promise<Result>,
  count = 1,
): Promise<{ readonly recorded: Result; readonly calls: RecordedCalls }> {
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    const recorded = await act();
    await calls.settled(count);
    return { recorded, calls };
  } finally {
    detach();
  }
}

/** Records `act` against the server, stops the server, and runs `act` again over what was recorded. */
export async function recordThenServe<Result>(
  server: ScriptedServer,
  act: (url: string) => Promise<Result>,
  count = 1,
): Promise<BothEnds<Result>> {
  const { url } = server;
  try {
    const { recorded, calls } = await recordAct(() => act(url), count);
    await server.stop();
    const crossings = calls.crossings();
    const player = new TapePlayer(crossings);
    const replayed = await player.during(() => act(url));
    return { recorded, replayed, calls, crossings, player };
  } finally {
    await server.stop();
  }
}

/** Everything a `catch` can look at; stacks name lines and are left out. */
export function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const fields = Object.fromEntries(Object.entries(error).filter(([key]) => key !== 'errors'));
  const errors: unknown = Reflect.get(error, 'errors');
  return {
    class: error.constructor.name,
    name: error.name,
    message: error.message,
    code: Reflect.get(error, 'code'),
    fields,
    errors: Array.isArray(errors) ? errors.map(errorFacts) : undefined,
    cause: errorFacts(error.cause),
  };
}
