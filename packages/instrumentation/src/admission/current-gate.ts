import type { Context } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import type { Admission, GateCall } from '../gate/gate.ts';
import type { BegunCall, Player } from '../gate/player.ts';
import { shareContexts } from '../host/share-contexts.ts';
import { ProcessGate } from './process-gate.ts';

shareContexts();

/** The gate of this process, shared between all copies of this package that are loaded. */
export const gate: ProcessGate = processState('gate.1', () => new ProcessGate());

/** Asks the gate about one call. Never throws. */
export function admit(call: GateCall): Admission {
  return gate.admit(call);
}

/** Tells a replay of a call that has begun here, and gives the context to read the rest of it in (ProcessGate.begun). Never throws. */
export function tellBegun(boundary: BegunCall['boundary']): Context {
  return gate.begun(boundary);
}

/** What a wire request that is made here meets (ProcessGate.wireMode). Never throws. */
export function wireMode(): 'pass' | 'record' | 'replay' {
  return gate.wireMode();
}

/** Makes a replay answer every call of this process that carries no position. Returns how to undo it. */
export function installDedicatedPlayer(player: Player): () => void {
  return gate.installDedicatedPlayer(player);
}
