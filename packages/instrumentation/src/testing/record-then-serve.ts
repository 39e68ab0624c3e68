import type { Crossing } from '@reenact/trace-model';
import { type Ended, endOf } from './end-of.ts';
import { RecordedCalls } from './recorded-calls.ts';
import { type Script, ScriptedProvider } from './scripted-provider.ts';
import { TapePlayer } from './tape-player.ts';

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
  const server = await ScriptedProvider.start(script);
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
