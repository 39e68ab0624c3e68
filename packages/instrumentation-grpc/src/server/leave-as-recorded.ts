import { constants } from 'node:http2';
import { asDelivery, guarded } from '@reenact/instrumentation';
import { carryingCall, type ServerCall } from './server-call.ts';

/** As if the client had called it off, or its deadline had passed: the handler is told in the same tick. */
function leave(call: ServerCall): void {
  const carrier = carryingCall(call);
  carrier?.notifyOnCancel?.();
  carrier?.stream.close(constants.NGHTTP2_CANCEL);
}

/**
 * Has the client of a call that is made again go away so many milliseconds from now. By a timer of the context it is called in: those
 * of a run fire in the order of recorded time.
 */
export function leaveAsRecorded(call: ServerCall, leftAfterMs: number): void {
  const leaving = (): void => guarded('leaving as the client did', () => leave(call), undefined);
  setTimeout(asDelivery(leaving, leftAfterMs * 1_000), leftAfterMs).unref();
}
