import {
  type Release,
  readBeyond,
  type StubAdmission,
  servableExchange,
  startedAfterUs,
  TURNS_READ_AHEAD,
  thrownOf,
} from '@reenact/instrumentation';
import { chunkBytes, type Exchange, type ExchangeResponse } from '@reenact/trace-model';
import type { Dispatcher } from 'undici';
import { heldRelease, takenResponse } from '../outbound/held-export.ts';
import type { ReplaySocket } from '../outbound/replay-socket.ts';
import { whenReadBeyond } from '../outbound/response-reader.ts';
import { ticked } from '../ticked.ts';
import { turn } from '../turn.ts';
import { type AskedUpgrade, answerToUpgrade } from '../websocket/answer-to-upgrade.ts';
import type { ServedConversation } from '../websocket/served-conversation.ts';
import { bodyGivenBy } from './body-given-by.ts';
import type { DispatchController, UndiciParts } from './undici-types.ts';

/** The controller of a request that is answered from a recording. */
class ServedController implements DispatchController {
  rawHeaders: NonNullable<DispatchController['rawHeaders']> | null = null;
  rawTrailers: NonNullable<DispatchController['rawTrailers']> | null = null;
  isOver = false;
  private isPaused = false;
  private wasAborted = false;
  private why: Error | null = null;
  private wake = (): void => undefined;
  private readonly aborting: (reason: unknown) => void;

  constructor(aborting: (reason: unknown) => void) {
    this.aborting = aborting;
  }

  get paused(): boolean {
    return this.isPaused;
  }

  get aborted(): boolean {
    return this.wasAborted;
  }

  get reason(): Error | null {
    return this.why;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.wake();
  }

  abort(reason: Error): void {
    if (this.wasAborted) return;
    this.wasAborted = true;
    this.why = reason;
    this.aborting(reason);
    this.wake();
  }

  /** Resolves when the host reads on, or has called it off. */
  async unpaused(): Promise<void> {
    while (this.isPaused && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** Makes the error of one of undici's classes again an instance of it. */
function errorOf(error: unknown, { errors }: UndiciParts): unknown {
  const thrown = thrownOf(error);
  const made: unknown = thrown instanceof Error ? errors[thrown.name] : undefined;
  if (typeof made === 'function' && thrown instanceof Error) Object.setPrototypeOf(thrown, made.prototype as object);
  return thrown;
}

function rawOf(pairs: readonly (readonly [string, string])[]): Buffer[] {
  return pairs.flat().map((text) => Buffer.from(text, 'latin1'));
}

function headersObject(pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** What a request is answered with that asks for a WebSocket. */
export interface ServedUpgrade {
  /** What the answer has to go with. */
  readonly asked: AskedUpgrade;
  readonly socket: ReplaySocket;
  readonly conversation: ServedConversation;
}

/** Over HTTP/2 nobody proves anything; here it is answered as over HTTP/1.1. */
function upgradeHeaders({ headers }: ExchangeResponse, asked: AskedUpgrade): readonly (readonly [string, string])[] {
  const isProven = headers.some(([name]) => name.toLowerCase() === 'sec-websocket-accept');
  const proof = [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-accept', ''],
  ] as const;
  return answerToUpgrade(isProven ? headers : [...proof, ...headers], asked);
}

/** What of an exchange is played. */
type PlayedExchange = Pick<Exchange, 'interim' | 'response' | 'error'>;

/** Plays a recorded exchange to the handler of the request that asks for it again. */
class ServedDispatch {
  private readonly handler: Dispatcher.DispatchHandler;
  private readonly parts: UndiciParts;
  /** Makes the error for whoever reads further than was recorded; absent where that is held. */
  private readonly beyond: ((detail: string) => unknown) | undefined;
  private readonly upgrade: ServedUpgrade | undefined;
  private readonly controller = new ServedController((reason) => this.fail(reason ?? this.abortError()));

  constructor(
    handler: Dispatcher.DispatchHandler,
    parts: UndiciParts,
    beyond: ServedDispatch['beyond'],
    upgrade: ServedUpgrade | undefined,
  ) {
    this.handler = handler;
    this.beyond = beyond;
    this.parts = parts;
    this.upgrade = upgrade;
  }

  private abortError(): unknown {
    const RequestAborted = this.parts.errors.RequestAbortedError as new () => Error;
    return new RequestAborted();
  }

  fail(error: unknown): void {
    const { controller } = this;
    if (controller.isOver) return;
    controller.isOver = true;
    this.handler.onResponseError?.(controller, error as Error);
  }

  /** A handler that throws has its request fail with what it threw, as undici does. */
  private tell(call: () => void): void {
    if (this.controller.isOver) return;
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  start(sentBytes: Buffer | undefined): void {
    const { handler, controller } = this;
    this.tell(() => handler.onRequestStart?.(controller, null));
    const bytes = sentBytes?.byteLength ? sentBytes : undefined;
    if (bytes !== undefined) this.tell(() => void Reflect.get(handler, 'onBodySent')?.call(handler, bytes));
    this.tell(() => void Reflect.get(handler, 'onRequestSent')?.call(handler));
  }

  async play(exchange: PlayedExchange, wasAborted: boolean, release: Release, offsetUs: number): Promise<void> {
    const { interim = [], response } = exchange;
    for (const { afterUs, ...head } of interim) {
      await release.at(offsetUs + afterUs);
      this.respond(head);
      await turn();
    }
    if (response === undefined) {
      // What the caller called off stays unanswered until this one does, too.
      if (!wasAborted) await this.failAsRecorded(exchange, release);
      return;
    }
    const isUpgraded = response.status === 101 || (response.status === 200 && this.isHttp2(response));
    if (this.upgrade !== undefined && isUpgraded) return this.converse(this.upgrade, response, release);
    await this.giveReads(response, release, offsetUs);
    await this.end(exchange, response, release);
  }

  /** The head and the body. What came in one read has one time, and nobody goes on in between. */
  private async giveReads(response: ExchangeResponse, release: Release, offsetUs: number): Promise<void> {
    const { controller, handler } = this;
    let readAtUs = response.headersAfterUs;
    await release.at(offsetUs + readAtUs);
    this.respond(response);
    for (const chunk of response.chunks) {
      if (controller.paused) await controller.unpaused();
      if (chunk[0] !== readAtUs) {
        // Reads of a connection are at least a turn of the event loop apart; without it a slow reader would get two as one.
        await turn();
        readAtUs = chunk[0];
        await release.at(offsetUs + readAtUs);
      }
      this.tell(() => handler.onResponseData?.(controller, Buffer.from(chunkBytes(chunk))));
    }
    if (response.chunks.length > 0) await turn();
  }

  private isHttp2({ httpVersion }: Pick<ExchangeResponse, 'httpVersion'>): boolean {
    return httpVersion?.startsWith('2') === true;
  }

  private respond(response: Pick<ExchangeResponse, 'status' | 'statusText' | 'headers' | 'httpVersion'>): void {
    const { handler, controller, parts } = this;
    const raw = this.isHttp2(response) ? headersObject(response.headers) : rawOf(response.headers);
    const headers = Array.isArray(raw) ? parts.parseHeaders(raw) : raw;
    controller.rawHeaders = raw;
    this.tell(() => void Reflect.get(handler, 'onResponseStarted')?.call(handler));
    this.tell(() => handler.onResponseStart?.(controller, response.status, headers, response.statusText));
  }

  /** What follows are messages, and no body. */
  private async converse(upgrade: ServedUpgrade, response: ExchangeResponse, release: Release): Promise<void> {
    const { handler, controller, parts } = this;
    const raw = rawOf(upgradeHeaders(response, upgrade.asked));
    await release.settle();
    controller.rawHeaders = raw;
    await ticked(() => {
      const first = upgrade.conversation.cameWithAnswer();
      if (first.length > 0) upgrade.socket.deliver(first);
      this.tell(() => handler.onRequestUpgrade?.(controller, 101, parts.parseHeaders(raw), upgrade.socket));
    });
    if (controller.isOver) return;
    controller.isOver = true;
    await turn();
    await upgrade.conversation.play();
  }

  private async end(exchange: PlayedExchange, response: ExchangeResponse, release: Release): Promise<void> {
    switch (response.end) {
      case 'complete': {
        await this.controller.unpaused();
        await release.settle();
        const raw = rawOf(response.trailers ?? []);
        const trailers = this.isHttp2(response) ? headersObject(response.trailers ?? []) : this.parts.parseHeaders(raw);
        this.controller.rawTrailers = this.isHttp2(response) ? trailers : raw;
        this.tell(() => this.handler.onResponseEnd?.(this.controller, trailers));
        this.controller.isOver = true;
        return;
      }
      case 'failed':
        return this.failAsRecorded(exchange, release);
      case 'aborted':
      case 'open':
        // Nothing more was recorded: pending until the host calls it off, as it did then.
        if (response.reader === 'satisfied') await this.refuseBeyond(response);
        return;
    }
  }

  /** The recorded host had not taken all that had come: who does goes on to where nothing was recorded. */
  private async refuseBeyond(response: ExchangeResponse): Promise<void> {
    const { beyond } = this;
    if (beyond === undefined) return;
    const given = bodyGivenBy(this.handler);
    if (given !== undefined) return whenReadBeyond(given, () => this.fail(beyond(readBeyond(response))));
    for (let turns = 0; turns < TURNS_READ_AHEAD; turns += 1) {
      await this.controller.unpaused();
      if (this.controller.isOver) return;
      await turn();
    }
    this.fail(beyond(readBeyond(response)));
  }

  private async failAsRecorded({ error }: PlayedExchange, release: Release): Promise<void> {
    await release.settle();
    this.fail(error === undefined ? this.abortError() : errorOf(error, this.parts));
  }
}

/** What a request was sent with, and what it asks for besides an answer. */
export interface ServedRequest {
  readonly sentBytes: Buffer | undefined;
  readonly upgrade: ServedUpgrade | undefined;
}

/** Answers one request of a dispatcher from its recorded exchange. Nothing is sent; what cannot be served is its error. */
export async function serveDispatch(
  admission: StubAdmission,
  handler: Dispatcher.DispatchHandler,
  parts: UndiciParts,
  { sentBytes, upgrade }: ServedRequest,
): Promise<void> {
  const { outcome, exchanges } = admission.recorded;
  const isHeld = outcome.type === 'pending';
  const beyond = isHeld ? undefined : (detail: string): unknown => admission.exhausted(detail);
  const served = new ServedDispatch(handler, parts, beyond, upgrade);
  // A request is never started before `dispatch` has returned.
  await turn();
  served.start(sentBytes);
  if (outcome.type === 'pending' && exchanges.length === 0) return;
  try {
    const exchange = servableExchange(admission, 'http');
    const wasAborted = outcome.type === 'aborted' || outcome.type === 'pending';
    await served.play(exchange, wasAborted, admission.release, startedAfterUs(admission.recorded, exchange));
  } catch (error) {
    served.fail(error);
    upgrade?.socket.destroy(error as Error);
  }
}

interface TakenRequest {
  readonly sentBytes: Buffer | undefined;
  readonly contentType: string | undefined;
  /** Why its body could not be read to its end. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** Answers a request of telemetry that is held back as one of which all was taken, or fails it with its body. Nothing is sent. */
export async function serveTaken(
  handler: Dispatcher.DispatchHandler,
  parts: UndiciParts,
  { sentBytes, contentType, failure }: TakenRequest,
): Promise<void> {
  const served = new ServedDispatch(handler, parts, undefined, undefined);
  await turn();
  if (failure !== undefined) return served.fail(failure.error);
  served.start(sentBytes);
  await served.play({ response: takenResponse(contentType) }, false, heldRelease, 0);
}
