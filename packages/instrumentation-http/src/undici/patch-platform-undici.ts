import { guarded, httpMembers, MemberPatcher, replaceProperty } from '@reenact/instrumentation';
import { isWithinFetch } from '../fetch/within-fetch.ts';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { gatedDispatch } from './gated-dispatch.ts';
import { dispatcherBase, globalDispatchers, sharedBases } from './patch-undici.ts';
import type { Dispatch, UndiciParts } from './undici-types.ts';

/** A mark of its own: a copy of undici that comes later asks the gate about all its requests, above this. */
const platformMembers = new MemberPatcher(Symbol.for('reenact.http.platform-undici.patched.1'));

/** The undici inside Node.js shows nothing of itself. */
const platformParts: UndiciParts = {
  errors: {},
  isPlatform: true,
  parseHeaders: (raw) => {
    const headers: Record<string, string | string[]> = {};
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = String(raw[at]).toLowerCase();
      const value = (raw[at + 1] ?? Buffer.alloc(0)).toString('latin1');
      const before = headers[name];
      headers[name] = before === undefined ? value : [before, value].flat();
    }
    return headers;
  },
};

function patchBase(base: object, settings: OutboundSettings): () => void {
  const dispatch: unknown = Reflect.get(base, 'dispatch');
  if (httpMembers.isPatched(dispatch) || platformMembers.isPatched(dispatch)) return () => undefined;
  return platformMembers.patch<Dispatch>(base, 'dispatch', (original) => {
    const gated = gatedDispatch(original, platformParts, settings);
    return function dispatch(options, handler): boolean {
      return Reflect.apply(isWithinFetch() ? original : gated, this, [options, handler]);
    };
  });
}

/** Calls `made` with every emitter that is made until the code that runs now has ended. */
function watchEmitters(made: (emitter: object) => void): void {
  const { EventEmitter } = process.getBuiltinModule('node:events');
  const undo = replaceProperty(EventEmitter, 'init', {
    ...Object.getOwnPropertyDescriptor(EventEmitter, 'init'),
    value: wrapped(Reflect.get(EventEmitter, 'init') as Init, made),
  });
  void Promise.resolve().then(undo);
}

type Init = (this: object, ...parameters: unknown[]) => void;

function wrapped(init: Init, made: (emitter: object) => void): Init {
  return function (...parameters) {
    guarded('looking for undici', () => made(this), undefined);
    Reflect.apply(init, this, parameters);
  };
}

/**
 * Calls `made` with the prototype of the first agent of a copy of undici while that copy is loaded: it looks whether there is an agent that all
 * copies share, and makes one, whose first request may come before the code that runs has ended. Returns how to look no more.
 */
function whenLoaded(made: (prototype: object) => void): () => void {
  const asked = (): undefined => {
    guarded('looking for undici', () => watchEmitters((emitter) => made(Object.getPrototypeOf(emitter))), undefined);
    return undefined;
  };
  const isFree = (key: symbol): boolean => !Object.hasOwn(globalThis, key) && Object.isExtensible(globalThis);
  const undos = globalDispatchers.filter(isFree).map((key) => {
    const set = (value: unknown): void => {
      Object.defineProperty(globalThis, key, { value, writable: true, enumerable: false, configurable: true });
    };
    return replaceProperty(globalThis, key, { get: asked, set, enumerable: false, configurable: true });
  });
  return () => {
    for (const undo of undos) undo();
  };
}

/**
 * Puts the gate before what the undici inside Node.js sends that passed no gate: WebSockets, and requests of a `fetch` that somebody took before it was
 * patched. That undici is not loaded for it: where it is loaded is seen. Returns how to undo it.
 */
export function patchPlatformUndici(settings: OutboundSettings): () => void {
  const undos = sharedBases().map((base) => patchBase(base, settings));
  const made = (prototype: object): void => {
    const base = settings.isActive() ? dispatcherBase(prototype) : undefined;
    if (base !== undefined) undos.push(patchBase(base, settings));
  };
  undos.push(whenLoaded(made));
  return () => {
    for (const undo of undos.reverse()) undo();
  };
}
