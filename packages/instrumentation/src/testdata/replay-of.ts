import { gate, installDedicatedPlayer } from '../index.ts';
import { crossingOf } from './recorded-crossing.ts';
import type { RecordingHost } from './recording-host.ts';
import { TapePlayer } from '../testing/tape-player.ts';

/** What a run gave, or threw. */
export type Ended = { readonly value: unknown } | { readonly error: unknown };

/** What a replay does other than serve everything. */
export interface ReplayOfOptions {
  /** Names of crossings that run for real. */
  readonly live?: readonly string[];
  /** Happens after the recording and before the replay. */
  between?(): unknown;
}

async function ended(run: () => unknown): Promise<Ended> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

/** Records `run` once, then runs it again with a player that serves what was recorded and nothing else. */
export async function recordAndReplay(
  host: RecordingHost,
  run: () => unknown,
  { live = [], between = () => undefined }: ReplayOfOptions = {},
): Promise<{ recorded: Ended; replayed: Ended; player: TapePlayer }> {
  const recorded = await ended(run);
  const finished = (await host.recorded()).filter(isCrossing);
  const traces = new Set(finished.map((span) => span.spanContext().traceId));
  const open = host.processor.pending().filter((span) => traces.has(span.spanContext().traceId));
  const crossings = [...finished, ...open].map(crossingOf);
  gate.configure({ recorder: undefined });
  const player = new TapePlayer(crossings);
  for (const name of live) player.live.add(name);
  await between();
  const uninstall = installDedicatedPlayer(player);
  try {
    return { recorded, replayed: await ended(run), player };
  } finally {
    uninstall();
    gate.configure({ recorder: host.processor });
  }
}

function isCrossing({ attributes }: { attributes: Record<string, unknown> }): boolean {
  return attributes['reenact.schema'] !== undefined;
}
