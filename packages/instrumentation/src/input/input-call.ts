import { CANONICAL_POLICIES, INPUT_DELIVERY_NAME, type InputPiece } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { spanView } from '../view/span-view.ts';

/** How standard input is told to the gate: a delivery that nobody waits for an answer to (docs/adr/0054). `startUnixNano`: see `GateCall`. */
export function inputCall(pieces: readonly InputPiece[], startUnixNano?: bigint): GateCall {
  const boundary = {
    kind: 'message',
    name: INPUT_DELIVERY_NAME,
    effect: 'read',
    capture: 'full',
    policy: CANONICAL_POLICIES.delivery,
  } as const;
  return {
    boundary,
    input: pieces,
    call: 'sync',
    span: { ...spanView(boundary), kind: 'consumer' },
    ...(startUnixNano !== undefined && { startUnixNano }),
  };
}
