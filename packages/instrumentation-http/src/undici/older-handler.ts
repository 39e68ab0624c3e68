import { guarded } from '@reenact/instrumentation';
import type { Dispatcher } from 'undici';
import { inFrontOf } from './body-given-by.ts';
import type { DispatchController, UndiciParts } from './undici-types.ts';

/**
 * The handler of a request as undici had it before version 8, where there was no controller: it is given what aborts and what resumes,
 * and pauses by giving false.
 */
export interface OlderHandler {
  onConnect?(abort: (reason?: Error) => void, context: unknown): void;
  onUpgrade?(status: number, rawHeaders: readonly Buffer[], socket: unknown): void;
  onResponseStarted?(): void;
  onHeaders?(status: number, rawHeaders: readonly Buffer[], resume: () => void, statusText?: string): unknown;
  onData?(chunk: Buffer): unknown;
  onComplete?(rawTrailers: readonly Buffer[] | null): void;
  onError?(error: Error): void;
  onBodySent?(chunk: unknown): void;
  onRequestSent?(): void;
}

type Step = (...values: never[]) => unknown;
type Steps = Record<string, Step>;
type Raw = NonNullable<DispatchController['rawHeaders']>;

/** The names of one and the same step; what is not listed is called alike. */
const newerNames: Readonly<Record<keyof OlderHandler, string>> = {
  onConnect: 'onRequestStart',
  onUpgrade: 'onRequestUpgrade',
  onResponseStarted: 'onResponseStarted',
  onHeaders: 'onResponseStart',
  onData: 'onResponseData',
  onComplete: 'onResponseEnd',
  onError: 'onResponseError',
  onBodySent: 'onBodySent',
  onRequestSent: 'onRequestSent',
};

const olderNames = Object.keys(newerNames) as (keyof OlderHandler)[];

/** Whether a handler is told what those of undici 6 and 7 are; of 7 it may be either. */
export function isOlderHandler(handler: object): handler is OlderHandler {
  return typeof Reflect.get(handler, 'onHeaders') === 'function' && !Reflect.get(handler, 'onRequestStart');
}

/** Whoever cannot read them hands on what undici gave: of HTTP/1.1 that is the flat list. */
function flatOf(raw: Raw | null): Buffer[] {
  return guarded('reading headers', () => flatList(raw), raw as unknown as Buffer[]);
}

function flatList(raw: Raw | null): Buffer[] {
  if (Array.isArray(raw)) return raw as unknown as Buffer[];
  return Object.entries(raw ?? {}).flatMap(([name, value]) =>
    [value].flat().flatMap((item) => [Buffer.from(name, 'latin1'), Buffer.from(String(item), 'latin1')]),
  );
}

/** Only the steps that are there: undici says what is wrong with a handler by what it lacks. */
function stepsOf(given: object, steps: Steps, nameOf: (name: keyof OlderHandler) => [from: string, to: string]): Steps {
  const made: Steps = {};
  for (const name of olderNames) {
    const [from, to] = nameOf(name);
    const step = steps[to];
    if (step !== undefined && typeof Reflect.get(given, from) === 'function') made[to] = step;
  }
  return made;
}

/** A handler with a controller in front of one without. */
export function newerHandlerOf(older: OlderHandler): Dispatcher.DispatchHandler {
  const pauseWhere = (controller: DispatchController, goesOn: unknown): void => {
    if (goesOn === false) controller.pause();
  };
  const steps: Steps = {
    onRequestStart: (controller: DispatchController, context: unknown) =>
      older.onConnect?.((reason) => controller.abort(reason as Error), context),
    onRequestUpgrade: (controller: DispatchController, status: number, _headers: unknown, socket: unknown) =>
      older.onUpgrade?.(status, flatOf(controller.rawHeaders ?? null), socket),
    onResponseStarted: () => older.onResponseStarted?.(),
    onResponseStart: (controller: DispatchController, status: number, _headers: unknown, text?: string) =>
      pauseWhere(
        controller,
        older.onHeaders?.(status, flatOf(controller.rawHeaders ?? null), () => controller.resume(), text),
      ),
    onResponseData: (controller: DispatchController, chunk: Buffer) => pauseWhere(controller, older.onData?.(chunk)),
    onResponseEnd: (controller: DispatchController) => older.onComplete?.(flatOf(controller.rawTrailers ?? null)),
    onResponseError: (_controller: DispatchController | null, error: Error) => older.onError?.(error),
    onBodySent: (chunk: unknown) => older.onBodySent?.(chunk),
    onRequestSent: () => older.onRequestSent?.(),
  };
  const made = stepsOf(older, steps, (name) => [name, newerNames[name]]) as Dispatcher.DispatchHandler;
  return inFrontOf(made, older);
}

/** The controller of a request that is sent by an undici which has none: it tells headers of HTTP/2 as it tells those of HTTP/1.1. */
export class OlderController implements DispatchController {
  rawHeaders: Raw | null = null;
  rawTrailers: Raw | null = null;
  paused = false;
  aborted = false;
  reason: Error | null = null;
  goOn = (): void => undefined;
  private readonly aborting: (reason?: Error) => void;

  constructor(aborting: (reason?: Error) => void) {
    this.aborting = aborting;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.goOn();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.aborting(reason);
  }
}

/** A handler as an older undici is given it, in front of one with a controller. */
export function olderHandlerOf(newer: Dispatcher.DispatchHandler, parts: UndiciParts): OlderHandler {
  const parseHeaders = (raw: readonly Buffer[]): ReturnType<UndiciParts['parseHeaders']> =>
    guarded('reading headers', () => parts.parseHeaders(raw), {});
  let controller = new OlderController(() => undefined);
  const steps: Steps = {
    onConnect: (abort: (reason?: Error) => void, context: never) => {
      controller = new OlderController(abort);
      newer.onRequestStart?.(controller, context);
    },
    onUpgrade: (status: number, raw: Buffer[], socket: never) => {
      controller.rawHeaders = raw as unknown as Raw;
      newer.onRequestUpgrade?.(controller, status, parseHeaders(raw), socket);
    },
    onResponseStarted: () => void Reflect.get(newer, 'onResponseStarted')?.call(newer),
    onHeaders: (status: number, raw: Buffer[], resume: () => void, text?: string) => {
      controller.goOn = resume;
      controller.rawHeaders = raw as unknown as Raw;
      newer.onResponseStart?.(controller, status, parseHeaders(raw), text);
      return !controller.paused;
    },
    onData: (chunk: Buffer) => {
      newer.onResponseData?.(controller, chunk);
      return !controller.paused;
    },
    onComplete: (raw: Buffer[] | null) => {
      controller.rawTrailers = raw as unknown as Raw | null;
      newer.onResponseEnd?.(controller, parseHeaders(raw ?? []));
    },
    onError: (error: Error) => newer.onResponseError?.(controller, error),
    onBodySent: (chunk: never) => void Reflect.get(newer, 'onBodySent')?.call(newer, chunk),
    onRequestSent: () => void Reflect.get(newer, 'onRequestSent')?.call(newer),
  };
  return stepsOf(newer, steps, (name) => [newerNames[name], name]) as OlderHandler;
}
