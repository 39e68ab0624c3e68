import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { admit, installOwnedFetch } from '@reenact/instrumentation';
import { type Ended, endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';
import * as plain from 'ai';
import type { Members, WrapScope } from '../internal-types.ts';
import { patchAgents, registerErrorClasses, wrappedExports } from '../wrapped-exports.ts';
import { type Script, ScriptedServer } from './scripted-server.ts';

const scope: WrapScope = { admit, capture: 'full', toolEffects: {}, sdk: 'ai@7.0.173', isActive: () => true };

/** The package as an app sees it that imports it behind the instrumentation. */
export const ai: typeof plain = {
  ...plain,
  ...Object.fromEntries(wrappedExports(plain as unknown as Members, scope)),
};

/** Sets up what the instrumentation sets up. Returns how to undo it. */
export function setUpSdk(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  globalThis.AI_SDK_LOG_WARNINGS = false;
  registerErrorClasses(plain as unknown as Members);
  const undos = [installOwnedFetch(), patchAgents(plain as unknown as Members, scope)];
  return () => {
    for (const undo of undos) undo();
    context.disable();
  };
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
