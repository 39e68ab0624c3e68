import type { Readable } from 'node:stream';
import { asDelivery } from '@reenact/instrumentation';
import type { EnteredCall } from './entered-call.ts';
import { carryingCall, type ServerCall } from './server-call.ts';

/** Hands the messages of a gathered request on, by timers of the context it is called in. */
export type HandOn = (entered: EnteredCall) => void;

function isReadable(call: ServerCall): call is ServerCall & Readable {
  return typeof Reflect.get(call, 'push') === 'function';
}

/**
 * Takes all messages of a request that is sent again off the wire before its handler hears of any: they come at once there, and
 * the handler is to get each when it came, between the answers it came between. Undefined for a request of one message, and for
 * a call that is made in another way than those of grpc-js.
 */
export function gatherMessages(call: ServerCall): Promise<HandOn> | undefined {
  const carrier = carryingCall(call);
  if (!isReadable(call) || carrier?.startRead === undefined) return undefined;
  const { push } = call;
  const give = (message: unknown): void => {
    // Its client may have left by then.
    if (!call.destroyed) call.push(message);
  };
  const messages: unknown[] = [];
  return new Promise((resolve) => {
    call.push = (message) => {
      if (message === null) {
        call.push = push;
        resolve((entered) => handOn(messages, give, entered));
      } else {
        messages.push(message);
        process.nextTick(() => carrier.startRead?.());
      }
      return true;
    };
    carrier.startRead?.();
  });
}

function handOn(messages: readonly unknown[], give: (message: unknown) => void, entered: EnteredCall): void {
  const { messagesAfterUs, endedAfterUs } = entered;
  const lastUs = messagesAfterUs.at(-1) ?? 0;
  const giveAfter = (afterUs: number, message: unknown): void => {
    setTimeout(
      asDelivery(() => give(message), afterUs),
      afterUs / 1_000,
    );
  };
  for (const [index, message] of messages.entries()) giveAfter(messagesAfterUs[index] ?? lastUs, message);
  if (endedAfterUs !== undefined) giveAfter(endedAfterUs, null);
}
