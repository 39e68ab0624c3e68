import type { GateCall } from '../gate/gate.ts';
import { messageCall } from './message-call.ts';

/** How a signal is told to the gate (docs/adr/0043). `startUnixNano`: see `GateCall`. */
export function signalCall(signal: string, startUnixNano?: bigint): GateCall {
  return messageCall(signal, [signal], startUnixNano);
}
