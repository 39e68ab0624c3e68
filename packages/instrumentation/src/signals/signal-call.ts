import { CANONICAL_POLICIES } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { spanView } from '../view/span-view.ts';

/** How a signal is told to the gate: a delivery that nobody waits for an answer to (docs/adr/0043). `startUnixNano`: see `GateCall`. */
export function signalCall(signal: string, startUnixNano?: bigint): GateCall {
  const boundary = {
    kind: 'message',
    name: signal,
    effect: 'read',
    capture: 'full',
    policy: CANONICAL_POLICIES.delivery,
  } as const;
  return {
    boundary,
    input: [signal],
    call: 'sync',
    span: { ...spanView(boundary), kind: 'consumer' },
    ...(startUnixNano !== undefined && { startUnixNano }),
  };
}
