import type { ClientRequest } from 'node:http';
import {
  type Release,
  readBeyond,
  type StubAdmission,
  servableExchange,
  startedAfterUs,
  thrownOf,
} from '@reenact/instrumentation';
import type { Exchange, ExchangeResponse } from '@reenact/trace-model';
import { platformHttp } from '../platform-http.ts';
import { ticked } from '../ticked.ts';
import { turn } from '../turn.ts';
import { answerToUpgrade } from '../websocket/answer-to-upgrade.ts';
import type { ServedConversation } from '../websocket/served-conversation.ts';
import type { ReplaySocket } from './replay-socket.ts';
import { whenReadBeyond } from './response-reader.ts';
import { endBytes, framingOf, headBytes, headOf, interimBytes, recordedBodyBytes } from './wire-response.ts';

/** One thing that comes off the wire, and when: undefined at the end of the crossing. */
interface WireStep {
  readonly afterUs: number | undefined;
  readonly bytes: Buffer;
  readonly comesWith?: 'messages';
}

function hasNoBody(exchange: Exchange, { status }: ExchangeResponse): boolean {
  return exchange.request.method === 'HEAD' || status === 204 || status === 304;
}

function protocolsOf(request: ClientRequest): string | undefined {
  const given = request.getHeader('sec-websocket-protocol');
  return given === undefined ? undefined : [given].flat().join(', ');
}

function stepsOf(exchange: Exchange, response: ExchangeResponse, request: ClientRequest): WireStep[] {
  const { headers, ...line } = headOf(response);
  const asked = { key: String(request.getHeader('sec-websocket-key')), protocols: protocolsOf(request) };
  const head = { ...line, headers: response.status === 101 ? answerToUpgrade(headers, asked) : headers };
  // What follows are messages, and no body.
  if (response.status === 101) return [{ afterUs: undefined, bytes: headBytes(head), comesWith: 'messages' }];
  const steps: WireStep[] = [
    { afterUs: response.headersAfterUs, bytes: headBytes(head) },
    ...response.chunks.map((chunk) => ({ afterUs: chunk[0], bytes: recordedBodyBytes(head, chunk) })),
  ];
  if (response.end !== 'complete') return steps;
  if (framingOf(head) === 'chunked' && !hasNoBody(exchange, response)) {
    return [...steps, { afterUs: undefined, bytes: endBytes(response.trailers ?? []) }];
  }
  // The client sees the end in the last bytes themselves, or in the close that follows them at once.
  return steps.map((step, index) => (index === steps.length - 1 ? { ...step, afterUs: undefined } : step));
}

/** What came in one read has one time, and comes in one read again. */
function readsOf(steps: readonly WireStep[]): WireStep[] {
  const reads: WireStep[] = [];
  for (const step of steps) {
    const last = reads.at(-1);
    if (last?.afterUs === undefined || last.afterUs !== step.afterUs) reads.push(step);
    else reads.splice(-1, 1, { ...last, bytes: Buffer.concat([last.bytes, step.bytes]) });
  }
  return reads;
}

/** Plays a recorded exchange onto the socket of the request that asks for it again. */
class ServedRequest {
  private readonly admission: StubAdmission;
  private readonly request: ClientRequest;
  private readonly exchange: Exchange;
  private readonly release: Release;
  private readonly offsetUs: number;
  private readonly socket: ReplaySocket;
  private readonly conversation: ServedConversation;

  constructor(
    admission: StubAdmission,
    exchange: Exchange,
    request: ClientRequest,
    socket: ReplaySocket,
    conversation: ServedConversation,
  ) {
    this.admission = admission;
    this.request = request;
    this.exchange = exchange;
    this.release = admission.release;
    this.offsetUs = startedAfterUs(admission.recorded, exchange);
    this.socket = socket;
    this.conversation = conversation;
  }

  async play(wasAborted: boolean): Promise<void> {
    const { interim = [], response } = this.exchange;
    const before = interim.map((answer) => ({ afterUs: answer.afterUs, bytes: interimBytes(answer) }));
    if (!(await this.deliver(before))) return;
    if (response === undefined) {
      // What the caller called off stays unanswered until this one does, too.
      if (!wasAborted) await this.fail();
      return;
    }
    const reads = readsOf(stepsOf(this.exchange, response, this.request));
    if (await this.deliver(reads)) await this.end(response);
  }

  /** False where the client has closed the connection. */
  private async deliver(steps: readonly WireStep[]): Promise<boolean> {
    for (const { afterUs, bytes, comesWith } of steps) {
      await (afterUs === undefined ? this.release.settle() : this.release.at(this.offsetUs + afterUs));
      const isOpen = comesWith === undefined ? this.socket.deliver(bytes) : await ticked(() => this.upgrade(bytes));
      if (!isOpen) return false;
      // Reads of a connection are at least a turn of the event loop apart; without it a slow reader would get two as one.
      await turn();
    }
    return true;
  }

  private upgrade(head: Buffer): boolean {
    return this.socket.deliver(Buffer.concat([head, this.conversation.cameWithAnswer()]));
  }

  private async end(response: ExchangeResponse): Promise<void> {
    switch (response.end) {
      case 'complete':
        if (response.status === 101) return this.conversation.play();
        if (framingOf(headOf(response)) === 'close') this.socket.push(null);
        return;
      case 'failed':
        return this.fail();
      case 'aborted':
      case 'open':
        return this.watchBeyond(response);
    }
  }

  /** Nothing more was recorded: held, unless the host goes on to read where the recorded one had all that it asked for. */
  private watchBeyond(recorded: ExchangeResponse): void {
    const { admission, request } = this;
    const response: unknown = Reflect.get(request, 'res');
    if (recorded.reader !== 'satisfied' || admission.recorded.outcome.type === 'pending') return;
    if (!(response instanceof platformHttp.IncomingMessage)) return;
    // Destroyed by its connection, it would say of any error that it was aborted.
    whenReadBeyond(response, () => response.destroy(admission.exhausted(readBeyond(recorded))));
  }

  /** With the recorded error, or as a connection that only closes. */
  private async fail(): Promise<void> {
    await this.release.settle();
    const { error } = this.exchange;
    if (error === undefined) this.socket.destroy();
    else this.socket.destroy(thrownOf(error) as Error);
  }
}

/** A request is written to its connection before it is answered, also where the answer needs no time. */
async function written(request: ClientRequest, socket: ReplaySocket): Promise<void> {
  while (!request.writableFinished && !socket.destroyed) {
    await turn();
  }
  await turn();
}

/** Answers a request from its recorded exchange; what cannot be served closes the connection with the error. */
export async function serveRequest(
  admission: StubAdmission,
  request: ClientRequest,
  socket: ReplaySocket,
  conversation: ServedConversation,
): Promise<void> {
  const { outcome, exchanges } = admission.recorded;
  const sent = exchanges[0]?.request;
  // Whoever lost a connection that was kept asks again by that.
  if (sent?.reused === true) request.reusedSocket = true;
  if (sent?.unsent === true) socket.stall();
  else await written(request, socket);
  if (outcome.type === 'pending' && exchanges.length === 0) return;
  try {
    const exchange = servableExchange(admission, 'http');
    await new ServedRequest(admission, exchange, request, socket, conversation).play(
      outcome.type === 'aborted' || outcome.type === 'pending',
    );
  } catch (error) {
    socket.destroy(error as Error);
  }
}
