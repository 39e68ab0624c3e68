import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { admit, patchClientPrototype } from '@reenact/instrumentation';
import { type Ended, endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';
import OpenAI, { type ClientOptions } from 'openai';
import { openaiLibrary } from '../openai-library.ts';
import { type Script, ScriptedServer } from './scripted-server.ts';

/** Patches the ES module copy of openai with the real gate. Returns how to undo it. */
export function patchOpenAI(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const undo = patchClientPrototype(OpenAI.prototype, openaiLibrary, { admit, capture: 'full', sdk: 'openai@7.55.0' });
  return () => {
    undo();
    context.disable();
  };
}

/** A client without time to lose. */
export function clientOf(baseURL: string, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey: 'sk-secret-key', baseURL, logLevel: 'off', ...options });
}

/** What one act did when it was recorded, and what it did when it was served. */
export interface BothEnds {
  readonly recorded: Ended;
  readonly replayed: Ended;
  readonly calls: RecordedCalls;
  readonly crossings: Crossing[];
  readonly player: TapePlayer;
  /** Requests the server saw while it was recorded, and in all. */
  readonly requests: { readonly recording: number; readonly total: number };
}

/** Records `act` against the script, then runs it again over what was recorded; the server stays up and counts. */
export async function recordThenServe(script: Script, act: (baseURL: string) => unknown, count = 1): Promise<BothEnds> {
  const server = await ScriptedServer.start(script);
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    const recorded = await endOf(() => act(server.baseURL));
    await calls.settled(count);
    detach();
    const recording = server.requests.length;
    const crossings = calls.crossings();
    const player = new TapePlayer(crossings);
    const replayed = await player.during(() => endOf(() => act(server.baseURL)));
    return { recorded, replayed, calls, crossings, player, requests: { recording, total: server.requests.length } };
  } finally {
    detach();
    await server.stop();
  }
}
