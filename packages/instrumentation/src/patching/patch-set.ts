import { syncBuiltinESMExports } from 'node:module';
import { placeBelow } from './place-below.ts';
import { replaceProperty } from './replace-property.ts';

let withheld: { isAsked: boolean } | undefined;

function publishNow(): void {
  if (withheld === undefined) syncBuiltinESMExports();
  else withheld.isAsked = true;
}

/**
 * Runs `work`, which changes several sets of patches, and shows the outcome to ES modules once: every module of the platform is
 * looked through for that, which takes milliseconds. Returns and throws what `work` does.
 */
export function publishedOnce<Result>(work: () => Result): Result {
  if (withheld !== undefined) return work();
  const own = { isAsked: false };
  withheld = own;
  try {
    return work();
  } finally {
    withheld = undefined;
    if (own.isAsked) syncBuiltinESMExports();
  }
}

/** Makes what stands in for an original. The original keeps its own name, length, symbols and prototype behind a proxy. */
export type Replacing<Original> = (original: Original) => Original;

/** Properties of the platform that are replaced for a while, and put back exactly as they were. */
export class PatchSet {
  private readonly undos: (() => void)[] = [];
  private isOver = false;

  /** Replaces the value of an own property; does nothing where Node.js lacks it, and once everything is put back. */
  replace<Original = unknown>(owner: object, key: PropertyKey, replacing: Replacing<Original>): void {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    if (this.isOver || before === undefined || before.value === undefined) return;
    if (before.configurable !== true && before.writable !== true) return;
    const replacement = replacing(before.value as Original);
    this.undos.push(replaceProperty(owner, key, { ...before, value: replacement }));
  }

  /** Puts a function in front of one that `owner` inherits, and takes it away again. */
  precede<Original = unknown>(owner: object, key: PropertyKey, replacing: Replacing<Original>): void {
    const inherited: unknown = Reflect.get(owner, key);
    if (this.isOver || inherited === undefined) return;
    const value = replacing(inherited as Original);
    this.undos.push(replaceProperty(owner, key, { value, writable: true, configurable: true, enumerable: false }));
  }

  /** Replaces the getter of an own property; does nothing where there is none. */
  replaceGetter(owner: object, key: PropertyKey, replacing: Replacing<() => unknown>): void {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    if (before?.get === undefined || before.configurable !== true) return;
    const original = before.get;
    const replacement = function get(this: unknown): unknown {
      return replacing(() => Reflect.apply(original, this, []))();
    };
    this.undos.push(replaceProperty(owner, key, { ...before, get: replacement }));
  }

  /** Has a getter say what an own property says; does nothing where there is none. `get` is given the value that it had. */
  compute<Value>(owner: object, key: PropertyKey, get: (value: Value) => Value): void {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    if (this.isOver || before?.value === undefined || before.configurable !== true) return;
    const { value, enumerable = false } = before;
    this.undos.push(replaceProperty(owner, key, { get: () => get(value as Value), enumerable, configurable: true }));
  }

  /**
   * Replaces a function by one that runs `behave` with what the caller gave. Where the function is a gate of ours, what the
   * gate lets through is wrapped and not the gate.
   */
  wrap(owner: object, key: PropertyKey, behave: Behaviour): void {
    const below = placeBelow(Object.getOwnPropertyDescriptor(owner, key)?.value);
    if (below === undefined) this.replace<AnyFunction>(owner, key, (original) => wrapFunction(original, behave));
    else this.wrap(below.owner, below.key, behave);
  }

  /** Shows the replaced functions to ES modules, also to those that imported them by name before. */
  publish(): void {
    publishNow();
  }

  /**
   * Puts every original descriptor back. What somebody else has replaced since is left to them: our function is below
   * theirs and lets everything pass once no replay runs.
   */
  restore(): void {
    this.isOver = true;
    for (const undo of this.undos.splice(0).reverse()) undo();
    this.publish();
  }
}

/**
 * Gives a plain function name, length, symbols and kind of what it stands in for: faster than a proxy where every call counts. By its kind
 * others tell that a function gives a promise and takes no callback.
 */
export function disguised<Replacement extends (...parameters: never[]) => unknown>(
  replacement: Replacement,
  original: object,
): Replacement {
  const keys = ['name', 'length', ...Object.getOwnPropertySymbols(original)];
  for (const key of keys) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Object.defineProperty(replacement, key, descriptor);
  }
  const kind: unknown = Object.getPrototypeOf(original);
  if (kind !== Object.getPrototypeOf(replacement)) Object.setPrototypeOf(replacement, kind as object);
  return replacement;
}

/** A function of the platform, whatever it takes. */
export type AnyFunction = (this: unknown, ...parameters: unknown[]) => unknown;

/** What a replaced function does: `proceed` is the original. */
export type Behaviour = (call: {
  readonly self: unknown;
  readonly parameters: unknown[];
  proceed(parameters?: unknown[]): unknown;
}) => unknown;

/** A function that behaves as told and in everything else is the original. */
export function wrapFunction(original: AnyFunction, behave: Behaviour): AnyFunction {
  return new Proxy(original, {
    apply: (target, self: unknown, parameters: unknown[]) =>
      behave({ self, parameters, proceed: (others = parameters) => Reflect.apply(target, self, others) }),
  });
}
