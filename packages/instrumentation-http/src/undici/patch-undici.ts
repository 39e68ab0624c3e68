import { guarded } from '@reenact/instrumentation';
import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { patchProperty } from '../property-patch.ts';
import { gatedDispatch } from './gated-dispatch.ts';
import type { Dispatch, UndiciParts } from './undici-types.ts';

function memberOf(holder: unknown, key: string): unknown {
  const isHolder = (typeof holder === 'object' && holder !== null) || typeof holder === 'function';
  return isHolder ? Reflect.get(holder, key) : undefined;
}

/** The prototype on which all dispatchers that connect share their `dispatch`; undefined where there is none. */
export function dispatcherBase(dispatcher: unknown): object | undefined {
  let prototype: unknown = dispatcher;
  while (typeof prototype === 'object' && prototype !== null) {
    // Mocks and retrying agents have a dispatch of their own, above this one or in its place. Told by members: a bundler may
    // have given the class another name.
    if (['dispatch', 'destroyed', 'closed'].every((key) => Object.hasOwn(prototype as object, key))) return prototype;
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}

/** Under which all copies of undici share the agent that requests without one go through: of handlers as version 8 has them, and older ones. */
export const globalDispatchers = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')];

/** The prototypes of those agents: where `fetch` was used first, they are of the copy inside Node itself, and the older one only leads to the other. */
export function sharedBases(): object[] {
  return globalDispatchers.flatMap((key) => {
    const dispatcher: unknown = Reflect.get(globalThis, key);
    const isThere = typeof dispatcher === 'object' && dispatcher !== null;
    return (isThere ? dispatcherBase(Object.getPrototypeOf(dispatcher)) : undefined) ?? [];
  });
}

/** Else an error of undici that left a tool would come back from a recording as a plain one. */
function registerErrorClasses(errors: unknown): void {
  if (typeof errors !== 'object' || errors === null) return;
  for (const value of Object.values(errors) as unknown[]) {
    if (typeof value === 'function' && value.prototype instanceof Error) {
      registerErrorClass(value as ErrorClass, 'undici');
    }
  }
}

/**
 * Puts the gate into one copy of the `undici` package. Every function of it, and every agent, pool and client, passes the
 * method that is replaced, on its own dispatchers and on the one that all copies of undici share. Returns how to undo it; a module that is something else is left alone.
 */
export function patchUndici(moduleExports: unknown, settings: OutboundSettings): () => void {
  const own = dispatcherBase(memberOf(memberOf(moduleExports, 'Agent'), 'prototype'));
  const parseHeaders = memberOf(memberOf(moduleExports, 'util'), 'parseHeaders');
  const errors = memberOf(moduleExports, 'errors');
  if (own === undefined || typeof parseHeaders !== 'function') return () => undefined;
  guarded('reading the error classes of undici', () => registerErrorClasses(errors), undefined);
  const parts: UndiciParts = {
    errors: (errors ?? {}) as UndiciParts['errors'],
    parseHeaders: (raw) => parseHeaders(raw) as ReturnType<UndiciParts['parseHeaders']>,
  };
  const bases = new Set([own, ...sharedBases()]);
  const undos = [...bases].map((base) =>
    patchProperty<Dispatch>(base, 'dispatch', (original) => gatedDispatch(original, parts, settings)),
  );
  return () => {
    for (const undo of undos) undo();
  };
}
