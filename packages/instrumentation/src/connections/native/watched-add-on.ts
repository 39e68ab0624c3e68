import { types } from 'node:util';
import { processState } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { disguised } from '../../patching/patch-set.ts';
import { handedOn } from '../../results/observe-promise.ts';
import type { NativeEffect, NativeLibrary, NativeOpening, NativeUse } from './native-library.ts';
import { nativeLibraryOf } from './native-library-of.ts';

/** A call that goes into a native add-on: `opening` where it opens what later calls work on. */
export interface NativeCall {
  readonly library: NativeLibrary;
  readonly opening?: NativeOpening;
  /** What opening it means, or has meant; undefined of a use where the opening was not seen, and of an opening where it cannot be told. */
  readonly effects: readonly NativeEffect[] | undefined;
  /** Of a use, the statement that it runs, or else the first text that it was given. */
  readonly statement?: string | undefined;
  /** What it is called with. */
  readonly parameters?: readonly unknown[];
}

/** Looks at each such call before it is made. An error that it gives is what the call fails with. Never throws. */
export type NativeListener = (call: NativeCall) => Error | undefined;

type Member = (this: unknown, ...parameters: unknown[]) => unknown;
type Class = abstract new (...parameters: unknown[]) => object;
/** What becomes of one call: `after` gives what the host is handed for its result. Neither throws. */
interface Watched {
  readonly refusal?: Error | undefined;
  /** What a refused call is made with all the same, and fails; the only one that may throw. */
  readonly failing?: (() => readonly unknown[]) | undefined;
  readonly after?: (result: unknown) => unknown;
}
type Watch = (self: unknown, parameters: readonly unknown[]) => Watched;
type Exports = Record<string, unknown>;

const listeners = processState('native-listeners.1', () => new Set<NativeListener>());
/** By exports, the members that are watched. */
const watched = processState('native-add-ons.1', () => new WeakMap<object, Set<string>>());
/** What opening it meant, and of a statement that was prepared its text. */
interface Opened {
  readonly effects: readonly NativeEffect[];
  readonly statement?: string | undefined;
}
/** By the object that stands for it. */
const opened = new WeakMap<object, Opened>();

/** Has every call into an add-on that is watched looked at, by whichever copy of this package watches it. Gives how to stop. */
export function listenToAddOns(listener: NativeListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function ask(call: NativeCall): Error | undefined {
  for (const listener of listeners) {
    const refusal = listener(call);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function letFail(call: () => unknown): void {
  try {
    call();
  } catch {
    // It was to: what the host is told is the refusal.
  }
}

function watchedMember(original: Member, watch: Watch, fails: NativeOpening['fails']): Member {
  const member: Member = function (this: unknown, ...parameters) {
    const { refusal, failing, after } = watch(this, parameters);
    if (refusal !== undefined) {
      if (failing !== undefined) letFail(() => Reflect.apply(original, this, failing()));
      if (fails === 'reject') return Promise.reject(refusal);
      const done = fails === 'callback' ? parameters.at(-1) : undefined;
      if (typeof done !== 'function') throw refusal;
      process.nextTick(done, refusal);
      return undefined;
    }
    const result = Reflect.apply(original, this, parameters);
    return after === undefined ? result : after(result);
  };
  return disguised(member, original);
}

/** A class that is the original but for what happens when an instance is made. */
function watchedClass(original: Class, watch: Watch): Class {
  return new Proxy(original, {
    construct(target, parameters: unknown[], newTarget) {
      const { refusal, after } = watch(undefined, parameters);
      if (refusal !== undefined) throw refusal;
      const instance = Reflect.construct(target, parameters, newTarget);
      after?.(instance);
      return instance;
    },
  });
}

/** Puts `value` in the place of a property; gives whether it could, for Node-API holds some fast. */
function place(owner: object, key: string, value: unknown): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  if (descriptor?.configurable !== true && descriptor?.writable !== true) return false;
  return Reflect.defineProperty(owner, key, { ...descriptor, value });
}

/** As `place`, of a member of instances: where their class holds it fast, each instance is given its own. */
function placeOnInstances(exports: Exports, name: string, key: string, value: Member): boolean {
  const original = exports[name] as Class;
  if (place(original.prototype as object, key, value)) return true;
  const after = (instance: unknown): void => {
    Reflect.defineProperty(instance as object, key, { value, configurable: true, writable: true });
  };
  return place(
    exports,
    name,
    watchedClass(original, () => ({ after })),
  );
}

/** As `place`, of a static member: where its class holds it fast, a class below it is exported, whose instances are those of the original. */
function placeOnClass(exports: Exports, name: string, key: string, value: Member): boolean {
  const original = exports[name] as Class;
  if (place(original, key, value)) return true;
  const standing = function (this: unknown, ...parameters: unknown[]): object {
    return Reflect.construct(original, parameters, new.target === standing ? original : new.target);
  };
  Object.defineProperty(standing, 'prototype', { value: original.prototype, writable: false });
  Object.setPrototypeOf(disguised(standing, original), original);
  // It is called on the class that it was made for, whichever stands there.
  const onOriginal: Member = function (this: unknown, ...parameters) {
    return Reflect.apply(value, original, parameters);
  };
  Object.defineProperty(standing, key, { value: disguised(onOriginal, value) });
  return place(exports, name, standing);
}

interface MemberName {
  readonly isNew: boolean;
  readonly name: string;
  readonly sign: string | undefined;
  readonly key: string | undefined;
}

/** Takes apart how the list of libraries writes a member. */
function memberName(member: string): MemberName {
  const [, isNew, name = member, sign, key] = /^(new )?(\w+)(?:([#.])(\w+))?$/.exec(member) ?? [];
  return { isNew: isNew !== undefined, name, sign, key };
}

function ownerOf(found: unknown, sign: string | undefined): Exports | undefined {
  if (typeof found !== 'function') return undefined;
  return (sign === '#' ? found.prototype : found) as Exports;
}

function hasMember(exports: object, member: string): boolean {
  const { name, sign, key } = memberName(member);
  const found = (exports as Exports)[name];
  return typeof (key === undefined ? found : ownerOf(found, sign)?.[key]) === 'function';
}

/** Watches one member; gives whether it could. */
function watchMember(exports: Exports, member: string, watch: Watch, fails: NativeOpening['fails']): boolean {
  if (!hasMember(exports, member)) return false;
  const { isNew, name, sign, key } = memberName(member);
  const found = exports[name];
  if (isNew) return place(exports, name, watchedClass(found as Class, watch));
  if (key === undefined) return place(exports, name, watchedMember(found as Member, watch, fails));
  const wrapped = watchedMember(ownerOf(found, sign)?.[key] as Member, watch, fails);
  return sign === '#' ? placeOnInstances(exports, name, key, wrapped) : placeOnClass(exports, name, key, wrapped);
}

function keepOpened(value: unknown, known: Opened): void {
  if (typeof value !== 'object' || value === null) return;
  opened.set(value, known);
  // DuckDB gives the statements that it has taken apart beside their number.
  if (known.statement === undefined || Object.getPrototypeOf(value) !== Object.prototype) return;
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) opened.set(part, known);
}

/** A promise is handed on: one that is only listened to counts as handled, and a failure that the host forgot would be told to nobody. */
function keptResult(result: unknown, known: Opened): unknown {
  if (types.isPromise(result)) {
    return handedOn(result, { fulfilled: (value) => keepOpened(value, known), rejected: () => undefined });
  }
  keepOpened(result, known);
  return result;
}

function openedAs(value: unknown): Opened | undefined {
  return typeof value === 'object' && value !== null ? opened.get(value) : undefined;
}

/** What a call works on: a statement that was prepared rather than what it is of. */
function knownOf(self: unknown, parameters: readonly unknown[]): Opened | undefined {
  let known = openedAs(self);
  for (const parameter of parameters) {
    if (known?.statement !== undefined) return known;
    known = openedAs(parameter) ?? known;
  }
  return known;
}

function openingWatch(library: NativeLibrary, opening: NativeOpening): Watch {
  const { failingWith } = opening;
  return (_self, parameters) => {
    const effects = guarded('reading what an add-on opens', () => opening.effectsOf(parameters), undefined);
    const refusal = ask({ library, opening, effects });
    if (refusal !== undefined) return { refusal, failing: failingWith && (() => failingWith(parameters)) };
    if (effects === undefined || effects[0]?.type === 'write') return {};
    // A library that makes the object first gives it to the function that opens.
    keepOpened(parameters[0], { effects });
    return {
      after: (result) => guarded('keeping what an add-on opened', () => keptResult(result, { effects }), result),
    };
  };
}

function useWatch(library: NativeLibrary, { gives }: NativeUse): Watch {
  return (self, parameters) => {
    const known = knownOf(self, parameters);
    const effects = known?.effects;
    const statement = known?.statement ?? parameters.find((value) => typeof value === 'string');
    const refusal = ask({ library, effects, statement, parameters });
    if (refusal !== undefined || gives === 'nothing' || effects === undefined) return { refusal };
    const given = gives === 'statement' ? { effects, statement } : { effects };
    return { after: (result) => guarded('keeping what an add-on gave', () => keptResult(result, given), result) };
  };
}

function settingWatch(look: (parameters: readonly unknown[]) => void): Watch {
  return (_self, parameters) => {
    guarded('reading a setting of an add-on', () => look(parameters), undefined);
    return {};
  };
}

/** Whether every opening of this library, whose add-on has these exports, is looked at. */
export function isWatchedAddOn(library: NativeLibrary, exports: object): boolean {
  return library.openings.every(
    ({ member, isOptional }) =>
      watched.get(exports)?.has(member) === true || (isOptional === true && !hasMember(exports, member)),
  );
}

/**
 * Has calls into the add-on with these exports looked at from now on, where it is of a library that is known. Gives whether each opening
 * is looked at. The exports stay the object that they are: code of the add-on may know it.
 */
export function watchAddOn(exports: unknown): boolean {
  const library = nativeLibraryOf(exports);
  if (library === undefined) return false;
  const members = exports as Exports;
  if (watched.has(members)) return isWatchedAddOn(library, members);
  const done = new Set<string>();
  watched.set(members, done);
  for (const opening of library.openings) {
    if (watchMember(members, opening.member, openingWatch(library, opening), opening.fails)) done.add(opening.member);
  }
  for (const use of library.uses) watchMember(members, use.member, useWatch(library, use), use.fails);
  for (const [member, look] of Object.entries(library.settings ?? {}))
    watchMember(members, member, settingWatch(look), 'throw');
  return isWatchedAddOn(library, members);
}

/**
 * An object that does what an add-on's exports do, whose functions can be replaced where the add-on holds them fast. They are called on the
 * exports that they are of: an add-on that finds its own state by `this` would end the process without it.
 */
export function standInExports(exports: object): object {
  const standing: Exports = Object.create(Object.getPrototypeOf(exports) as object | null) as Exports;
  for (const key of Reflect.ownKeys(exports)) {
    const value: unknown = Reflect.get(exports, key);
    const isPlain = typeof value === 'function' && !/^[A-Z]/.test(String(key));
    const stand = isPlain ? disguised(value.bind(exports) as Member, value) : value;
    const enumerable = Object.prototype.propertyIsEnumerable.call(exports, key);
    Object.defineProperty(standing, key, { value: stand, configurable: true, enumerable, writable: true });
  }
  return standing;
}

/**
 * As `watchAddOn`, of the add-on that was just loaded into a module: where it holds its members fast, others stand for its exports in
 * the module. Those of a library that is known do not look whether they are the very object.
 */
export function watchLoadedAddOn(module: { exports: unknown }): boolean {
  const { exports } = module;
  if (watchAddOn(exports)) return true;
  if (nativeLibraryOf(exports) === undefined) return false;
  const standing = standInExports(exports as object);
  if (!watchAddOn(standing)) return false;
  module.exports = standing;
  return true;
}
