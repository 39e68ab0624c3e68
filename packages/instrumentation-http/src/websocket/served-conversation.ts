import type { Duplex } from 'node:stream';
import { type Context, context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  type Delivery,
  runInContext,
  type StubAdmission,
  scopeOf,
  servedValue,
  serveStub,
} from '@reenact/instrumentation';
import { WEBSOCKET_MESSAGES_MAX } from '../limits.ts';
import { ticked } from '../ticked.ts';
import { turn } from '../turn.ts';
import { frameBytes } from './frame-bytes.ts';
import { type MessagePlace, receivedCall, sentCall } from './message-call.ts';
import { type SocketListener, type UpgradedConnection, watchSocket } from './upgraded-socket.ts';
import { inputOfMessage, type MessageInput, messageOfInput, type WebSocketMessage } from './websocket-message.ts';

/** The connection of a request that a replay answers: what is delivered is read by the host. */
export interface AnsweringSocket extends Duplex {
  deliver(bytes: Uint8Array): boolean;
}

/**
 * The other end of a WebSocket inside a replay: it says what was recorded, each when its time has come, and compares what it is told.
 * Nothing that was not recorded is answered.
 */
export class ServedConversation implements SocketListener {
  private readonly admission: StubAdmission;
  private readonly place: MessagePlace;
  private readonly socket: AnsweringSocket;
  private readonly around: Context;
  private readonly waiting: Delivery[];
  private sentCount = 0;
  private hasClosed = false;

  constructor(admission: StubAdmission, place: MessagePlace, socket: AnsweringSocket, around: Context) {
    this.admission = admission;
    this.place = place;
    this.socket = socket;
    this.around = around;
    this.waiting = [...admission.deliveries];
  }

  /** Listens to what the host writes from now on. */
  attach(upgraded: UpgradedConnection): void {
    const listener = { sent: (message: WebSocketMessage) => this.sent(message), unreadable: () => this.unreadable() };
    watchSocket(upgraded, listener, this.around);
  }

  /** What came in one read with the answer, to be given with it. */
  cameWithAnswer(): Buffer {
    return Buffer.concat(this.together().map((message) => frameBytes(message)));
  }

  /** Says what was recorded. */
  async play(): Promise<void> {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      await next.due();
      if (this.socket.destroyed || this.isOver(this.admission.crossing.context)) return;
      const input = this.inputOf(next);
      if (this.isTaken(input)) await ticked(() => this.say(input));
      await turn();
    }
  }

  private inputOf({ recorded }: Delivery): MessageInput {
    return servedValue(this.admission, recorded.input, 'A message of a WebSocket') as MessageInput;
  }

  /** Takes the first that waits. False where it is not to come. */
  private isTaken(input: MessageInput): boolean {
    this.waiting.shift();
    return follow(runInContext(this.admission.crossing.context, () => admit(receivedCall(this.place, input))));
  }

  /** Takes what came in one read with what was before it. */
  private together(): WebSocketMessage[] {
    const messages: WebSocketMessage[] = [];
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const input = this.inputOf(next);
      const message = input.together === true ? messageOfInput(input) : undefined;
      if (message === undefined) break;
      if (!this.isTaken(input)) continue;
      if (message.type === 'close') this.hasClosed = true;
      messages.push(message);
    }
    return messages;
  }

  sent(message: WebSocketMessage): void {
    if (message.type === 'ping') void turn().then(() => this.hand({ type: 'pong', bytes: message.bytes }));
    const input = inputOfMessage(message);
    if (input === undefined) return;
    if (message.type === 'close' && this.hasClosed) {
      if (this.waiting.length === 0) this.end();
      return;
    }
    if (!this.isCompared(input)) return;
    // The recording ends before the answer to it: the library waits for one.
    if (message.type === 'close' && this.waiting.length === 0) {
      this.hasClosed = true;
      void turn().then(() => {
        this.hand(message);
        this.end();
      });
    }
  }

  unreadable(): void {
    this.socket.destroy();
  }

  /** False where the connection was closed for it. */
  private isCompared(input: MessageInput): boolean {
    const active = contexts.active();
    const sender = scopeOf(active) === undefined ? this.around : active;
    if (this.isOver(sender)) return true;
    this.sentCount += 1;
    if (this.sentCount > WEBSOCKET_MESSAGES_MAX) return true;
    const admission = runInContext(sender, () => admit(sentCall(this.place, input)));
    try {
      if (admission.type === 'refuse') throw admission.error;
      if (admission.type === 'stub') serveStub(admission);
      if (admission.type !== 'run') return true;
      const error = this.admission.exhausted('A message was to be sent for real over a WebSocket that is not.');
      admission.crossing.settle({ type: 'threw', error });
      throw error;
    } catch (error) {
      this.socket.destroy(error as Error);
      return false;
    }
  }

  private isOver(context: Context): boolean {
    return (scopeOf(context)?.run.openRoots ?? 0) === 0;
  }

  private say(input: MessageInput): void {
    const message = messageOfInput(input);
    if (message !== undefined) {
      if (message.type === 'close') this.hasClosed = true;
      this.hand(message, ...this.together());
    } else if (input.type === 'end' && input.error === undefined) this.end();
    else if (input.type === 'end') this.destroy(Object.assign(new Error(input.error), { code: input.error }));
    else this.destroy(this.admission.exhausted('What came over a WebSocket from here on was not recorded.'));
  }

  /** In one read. */
  private hand(...messages: readonly WebSocketMessage[]): void {
    const bytes = Buffer.concat(messages.map((message) => frameBytes(message)));
    contexts.with(this.around, () => this.socket.deliver(bytes));
  }

  private end(): void {
    contexts.with(this.around, () => this.socket.push(null));
  }

  private destroy(error: Error): void {
    contexts.with(this.around, () => this.socket.destroy(error));
  }
}

/** What is delivered is over at once: nobody waits for an answer. False where it is not to come. */
function follow(admission: Admission): boolean {
  if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
  if (admission.type === 'stub') serveStub(admission);
  return admission.type !== 'refuse';
}
