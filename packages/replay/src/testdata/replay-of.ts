import type { Recording, ReplayReport } from '@reenact/trace-model';
import { MemorySink } from '../events/event-sink.ts';
import { makePlan, type PlanOptions } from '../resolution/plan.ts';
import { RecordedPlayer } from '../player/recorded-player.ts';
import { buildReport } from '../report/report-builder.ts';
import { type AgentCall, type AgentLog, runAgent } from './agent-model.ts';

/** A player on a recording's only root, and how to get its report. */
export interface PlayerUnderTest {
  readonly player: RecordedPlayer;
  readonly sink: MemorySink;
  report(): ReplayReport;
}

/** Makes a player that reports into memory. */
export function playerOf(
  recording: Recording,
  options: PlanOptions & { readonly rootSpanId?: string; readonly process?: 'shared'; readonly servesRoot?: boolean } = {},
): PlayerUnderTest {
  const rootSpanId = options.rootSpanId ?? recording.roots[0]?.spanId ?? '';
  const plan = makePlan(options, recording, rootSpanId);
  const sink = new MemorySink();
  const { process = 'dedicated', servesRoot } = options;
  const replayId = 'replay-1';
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId, process, sink, servesRoot });
  const report = (): ReplayReport =>
    buildReport({ recording, rootSpanId, plan, replayId, process, events: sink.events, durationMs: 1 });
  return { player, sink, report };
}

/** Runs an agent against a recording. */
export async function replayAgent(
  agent: AgentCall,
  recording: Recording,
  options: PlanOptions = {},
): Promise<{ readonly report: ReplayReport; readonly log: AgentLog }> {
  const { player, report } = playerOf(recording, options);
  const log = await runAgent(agent, player);
  return { report: report(), log };
}
