import { CANONICAL_POLICIES } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { spanView } from '../view/span-view.ts';

/** How a message to the process is told to the gate: a delivery that nobody waits for an answer to. `startUnixNano`: see `GateCall`. */
export function messageCall(name: string, input: readonly unknown[], startUnixNano?: bigint): GateCall {
  const boundary = {
    kind: 'message',
    name,
    effect: 'read',
    capture: 'full',
    policy: CANONICAL_POLICIES.delivery,
  } as const;
  return {
    boundary,
    input,
    call: 'sync',
    span: { ...spanView(boundary), kind: 'consumer' },
    ...(startUnixNano !== undefined && { startUnixNano }),
  };
}
