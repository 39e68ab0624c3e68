import type { HttpPeer } from '../conformance/instrumentation/peers/http-peer.ts';
import { startProgramPeer } from '../conformance/instrumentation/peers/program-peer.ts';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

/** A stage for generated programs, and the peer that their calls reach. */
export interface ProgramStage {
  readonly peer: HttpPeer;
  readonly stage: Stage;
  stop(): Promise<void>;
}

/** Starts both. */
export async function setProgramStage(): Promise<ProgramStage> {
  const peer = await startProgramPeer();
  const stage = await setSmallStage();
  const stop = async (): Promise<void> => {
    await stage.stop();
    await peer.stop();
  };
  return { peer, stage, stop };
}
