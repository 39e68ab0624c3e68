import { INPUT_DELIVERY_NAME, type InputPiece } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { messageCall } from '../signals/message-call.ts';

/** How standard input is told to the gate (docs/adr/0054). `startUnixNano`: see `GateCall`. */
export function inputCall(pieces: readonly InputPiece[], startUnixNano?: bigint): GateCall {
  return messageCall(INPUT_DELIVERY_NAME, pieces, startUnixNano);
}
