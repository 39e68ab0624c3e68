import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  isInRun,
  type OpenCrossing,
  recordArrival,
  runInContext,
  scopeOf,
} from '@reenact/instrumentation';
import { WEBSOCKET_MESSAGES_MAX } from '../limits.ts';
import { type MessagePlace, receivedCall, sentCall } from './message-call.ts';
import { senderOf } from './packing-watch.ts';
import { isWebSocket, type SocketListener, tellIn, type UpgradedConnection, watchSocket } from './upgraded-socket.ts';
import { inputOfMessage, type MessageInput, type WebSocketMessage } from './websocket-message.ts';

const moreMark = `/input more than ${WEBSOCKET_MESSAGES_MAX} of them may have passed`;

/** Libraries compress beside the code that sends, which has gone on by then. */
const compressedMark = '/input compressed before it was sent, so that its place among other calls is not exact';

const unpackedMark = '/input unpacked after it had come, so that its place among other calls is not exact';

/**
 * Records what passes over a WebSocket while the run goes on in which it was opened: what comes as deliveries inside the request that opened
 * it, and what is sent as calls of whoever sends it (docs/adr/0044).
 */
class RecordedConversation implements SocketListener {
  private readonly place: MessagePlace;
  private readonly opening: OpenCrossing;
  /** Of the code that opened it. */
  private readonly around: Context;
  private receivedCount = 0;
  private sentCount = 0;
  private isClosing = false;
  private hasEnded = false;

  constructor(place: MessagePlace, opening: OpenCrossing, around: Context) {
    this.place = place;
    this.opening = opening;
    this.around = around;
  }

  received(message: WebSocketMessage, isExact: boolean, isTogether: boolean): void {
    const input = inputOfMessage(message);
    if (message.type === 'close') this.isClosing = true;
    if (input === undefined) return;
    this.deliver(isTogether ? { ...input, together: true } : input, isExact ? [] : [unpackedMark]);
  }

  sent(message: WebSocketMessage): void {
    const input = inputOfMessage(message);
    // The answer to a close is the library's own.
    if (input === undefined || (message.type === 'close' && this.isClosing)) return;
    if (message.type === 'close') this.isClosing = true;
    const packed = 'wasCompressed' in message ? senderOf(message.bytes) : undefined;
    const isExact = !('wasCompressed' in message) || packed?.isExact() === true;
    const active = packed?.context ?? contexts.active();
    const sender = scopeOf(active) === undefined ? this.around : active;
    if ((scopeOf(sender)?.run.openRoots ?? 0) === 0) return;
    this.sentCount += 1;
    if (this.sentCount > WEBSOCKET_MESSAGES_MAX) return;
    const isOfAnotherRun = scopeOf(sender)?.traceId !== scopeOf(this.around)?.traceId;
    const marks = [
      ...(this.sentCount === WEBSOCKET_MESSAGES_MAX ? [moreMark] : []),
      ...(isExact ? [] : [compressedMark]),
      ...(isOfAnotherRun ? ['/output what is answered comes over a connection of another run'] : []),
    ];
    runInContext(sender, () => keep(admit(sentCall(this.place, input)), marks));
  }

  ended(error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    this.deliver({ type: 'end', ...(error === undefined ? {} : { error: String(code ?? error) }) });
  }

  unreadable(direction: 'received' | 'sent', error: unknown): void {
    this.deliver({ type: 'unread', error: String(error) }, [
      `/input what was ${direction} from here on: ${String(error)}`,
    ]);
  }

  private deliver(input: MessageInput, marks: readonly string[] = []): void {
    const { context } = this.opening;
    if ((scopeOf(context)?.run.openRoots ?? 0) === 0) {
      // What follows a close is not listened to.
      if (!this.isClosing && input.body !== undefined)
        recordArrival(`what came over a connection to ${this.place.url.host}`, 'sent');
      return;
    }
    this.receivedCount += 1;
    if (this.receivedCount > WEBSOCKET_MESSAGES_MAX) return;
    const all = this.receivedCount === WEBSOCKET_MESSAGES_MAX ? [...marks, moreMark] : marks;
    const isWithheld = input.body !== undefined && 'sha256' in input.body;
    const told = isWithheld ? [...all, '/input/body too-large'] : all;
    runInContext(context, () => keep(admit(receivedCall(this.place, input)), told));
  }
}

function keep(admission: Admission, marks: readonly string[]): void {
  if (admission.type !== 'run') return;
  for (const mark of marks) admission.crossing.markLossy(mark);
  admission.crossing.settle({ type: 'returned', value: undefined });
}

/**
 * Records a connection that has become a WebSocket. False where it is none, or where it could not be told again; what comes over it is then told where it was
 * opened all the same.
 */
export function recordConversation(
  upgraded: UpgradedConnection,
  place: MessagePlace,
  opening: OpenCrossing,
  around: Context,
): boolean {
  if (!isWebSocket(upgraded.response)) return false;
  if (!isInRun(around)) {
    tellIn(around, upgraded.socket);
    return false;
  }
  watchSocket(upgraded, new RecordedConversation(place, opening, around), around);
  return true;
}
