import vm from 'node:vm';
import type { ClockFunction } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';

/** What stands before the clock and the random numbers of every context of `node:vm`. No member may throw. */
export interface ContextClock {
  /** Asked for each reading of the time; `proceed` reads it. */
  time(name: ClockFunction, proceed: () => number): number;
  /** Asked for each random number; `proceed` draws it. */
  random(proceed: () => number): number;
  /** Code is about to run in a context in which nothing can stand before them. */
  unwatched(): void;
}

/**
 * Runs in the context, whose code thus gets functions of its own realm: what it is to be kept in by one cannot be left by ours. Only numbers come
 * in by `ask`, and only numbers are given to it: where the stack is full it throws an error of the realm around, and an object that code
 * in the context made could have itself called from there. What the host put in the place of the context's own is left alone.
 */
const source = `'use strict';
(ours, ask) => {
  if (globalThis === ours) return;
  const { constructor: OwnFunction } = () => {};
  const { constructor: OwnObject } = {};
  const { Date: OwnDate, Math: math, Reflect, Proxy } = globalThis;
  const { construct } = Reflect;
  let isLost = false;
  const numberOf = (value) => {
    if (typeof value !== 'number') throw 0;
    return value;
  };
  const reading = (own) => {
    const proceed = () => numberOf(own());
    return (name) => {
      try {
        const value = numberOf(ask(name, proceed, isLost));
        isLost = false;
        return value;
      } catch {
        isLost = true;
        return own();
      }
    };
  };
  if (OwnDate instanceof OwnFunction) {
    const { now } = OwnDate;
    const read = reading(now);
    const watched = new Proxy(OwnDate, {
      __proto__: null,
      construct: (target, given, made) => construct(target, given.length === 0 ? [read('Date')] : given, made),
      apply: (target) => new target(read('Date')).toString(),
    });
    OwnObject.defineProperty(globalThis, 'Date', { value: watched, writable: true, configurable: true });
    if (globalThis.Date !== watched) throw new OwnObject('frozen');
    OwnDate.prototype.constructor = watched;
    OwnDate.now = new Proxy(now, { __proto__: null, apply: () => read('Date.now') });
  }
  if (math instanceof OwnObject) {
    const { random } = math;
    const draw = reading(random);
    math.random = new Proxy(random, { __proto__: null, apply: () => draw('Math.random') });
  }
};`;

const layers: ContextClock[] = [];
const watched = new WeakSet<object>();
let script: vm.Script | undefined;

/** The one that was added last is asked first, as it is where functions of the platform are replaced. */
function timeBelow(index: number, name: ClockFunction, real: () => number): number {
  const layer = layers[index];
  return layer === undefined ? real() : layer.time(name, () => timeBelow(index - 1, name, real));
}

function randomBelow(index: number, real: () => number): number {
  const layer = layers[index];
  return layer === undefined ? real() : layer.random(() => randomBelow(index - 1, real));
}

/** Node.js makes one context for itself by the same functions, such as when a web stream is first let go; it draws nothing there. */
function isOfNode(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false;
  return guarded('telling whose context it is', () => Reflect.get(options, 'contextName') === 'internal', false);
}

type RunInContext = vm.Script['runInContext'];
/** `wasLost`: what was read or drawn before in this context could not be asked for. */
type Ask = (name: ClockFunction | 'Math.random', real: () => number, wasLost: boolean) => number;
type Watching = (ours: object, ask: Ask) => void;

function askLayers(...[name, real, wasLost]: Parameters<Ask>): number {
  if (wasLost) for (const layer of layers) layer.unwatched();
  const top = layers.length - 1;
  return name === 'Math.random' ? randomBelow(top, real) : timeBelow(top, name, real);
}

/** Whether `context` is watched from now on, or has been. */
function watch(context: vm.Context, runInContext: RunInContext): boolean {
  if (watched.has(context)) return true;
  try {
    script ??= new vm.Script(source, { filename: 'reenact:context' });
    const begin = Reflect.apply(runInContext, script, [context]) as Watching;
    // A copy of this package may itself stand in a context, whose clock is the one that it knows.
    begin(globalThis, askLayers);
    watched.add(context);
    return true;
  } catch {
    // A host may have taken out of its context what this is made of.
    return false;
  }
}

/**
 * Puts `clock` before the `Date` and `Math.random` that each context of `node:vm` has of its own, in those that are made from now on and those in
 * which code is run, Jest's among them. Returns how to undo it.
 */
export function watchContexts(patches: PatchSet, clock: ContextClock): () => void {
  const { runInContext } = vm.Script.prototype;
  // `vm.runInContext` and both functions for new contexts come to this method, too.
  patches.replace<RunInContext>(vm.Script.prototype, 'runInContext', (original) => {
    const watching = function (this: vm.Script, ...parameters: Parameters<typeof original>): unknown {
      const [context, options] = parameters;
      if (!isOfNode(options) && vm.isContext(context) && !watch(context, runInContext)) clock.unwatched();
      return Reflect.apply(original, this, parameters);
    };
    return disguised(watching, original) as typeof original;
  });
  // Modules and compiled functions come to a context by other ways.
  patches.replace<typeof vm.createContext>(vm, 'createContext', (original) => {
    const making = (...parameters: Parameters<typeof original>): vm.Context => {
      const context = Reflect.apply(original, vm, parameters) as vm.Context;
      watch(context, runInContext);
      return context;
    };
    return disguised(making, original) as typeof original;
  });
  layers.push(clock);
  return () => {
    const index = layers.indexOf(clock);
    if (index !== -1) layers.splice(index, 1);
  };
}
