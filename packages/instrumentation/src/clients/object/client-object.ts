import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import type { Context } from '@opentelemetry/api';
import { ReenactError } from '@reenact/trace-model';
import { wireMode } from '../../admission/current-gate.ts';
import { guarded, reportFailure } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';
import { disguised } from '../../patching/patch-set.ts';
import { coveredWork } from '../../run/covered-work.ts';
import type { CalledObject, ServedObject } from './called-object.ts';
import type { ClientMethod, ReturnedObject } from './client-definition.ts';
import type { ClientGate } from './client-gate.ts';
import type { ClientStep } from './client-step.ts';
import { FollowedConnection } from './connection-state.ts';
import { crossMethod } from './cross-method.ts';

type Method = (this: unknown, ...parameters: unknown[]) => unknown;

/** Where the object behind a `ClientObject` comes from. */
export interface ClientOrigin {
  /** Absent in a replay, where nothing was called that would have given it. */
  readonly real?: object;
  /** Makes the real object where one is needed after all: for code that is asked to run live, or after the replay. */
  make(): object;
  readonly steps: readonly ClientStep[];
  /** What an object that stands in for a real one answers `instanceof` with. */
  readonly prototype?: object | null;
  /** What it reads members from that are no methods. */
  readonly likeness?: object | undefined;
  /** It has no members but those of its class. */
  readonly isBare?: boolean;
  /** What a stand-in says of members that were recorded with the object. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What stands behind each proxy that was given out. */
const objects = new WeakMap<object, ClientObject>();

/** The object itself where a value is one behind the gate; undefined where it is none, or a stand-in. */
export function objectBehind(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? objects.get(value)?.existing : undefined;
}

const STEP: ClientMethod = { as: 'step', returns: 'this' };
/** Asked of any object by the language and by printers; a stand-in answers them as an empty object does. */
const passive: ReadonlySet<string> = new Set(['then', 'constructor', 'toJSON', 'inspect', 'toString', 'valueOf']);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isDisposal(key: PropertyKey): boolean {
  return key === Symbol.dispose || key === Symbol.asyncDispose;
}

/** Disposing of nothing does nothing. */
function standInMember(target: object, key: PropertyKey): unknown {
  return isDisposal(key) ? () => undefined : Reflect.get(target, key);
}

/** A method that stands in for an original. What `using` calls is a plain function: V8 takes no proxy for one, and throws. */
function standingIn(
  key: PropertyKey,
  original: Method,
  apply: (self: unknown, parameters: unknown[]) => unknown,
): Method {
  if (!isDisposal(key)) return new Proxy(original, { apply: (_, self, parameters) => apply(self, parameters) });
  const dispose: Method = function dispose(...parameters) {
    return apply(this, parameters);
  };
  return disguised(dispose, original);
}

/** In front of what its class says of a member, also where that can only be read. */
function defineField(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

function isPinned(target: object, key: PropertyKey): boolean {
  const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
  return descriptor !== undefined && descriptor.configurable === false && descriptor.writable === false;
}

/**
 * One client, or object made by it, behind a proxy: listed methods are crossings, everything else is the object's own.
 * Methods are called on the object itself, so that private members and native classes work and calls the client makes to
 * itself are no crossings of their own.
 */
export class ClientObject implements CalledObject {
  readonly proxy: object;
  readonly gate: ClientGate;
  readonly steps: ClientStep[];
  private readonly shape: ReturnedObject;
  private readonly origin: ClientOrigin;
  private readonly connection: FollowedConnection | undefined;
  /** What a replay has left out until there is an object to do it on. */
  private readonly noted: (() => unknown)[] = [];
  private readonly members = new Map<PropertyKey, { readonly original: unknown; readonly member: Method }>();
  private readonly heldObjects = new Map<string, object>();
  private composer: object | undefined;
  private real: object | undefined;

  constructor(gate: ClientGate, shape: ReturnedObject, origin: ClientOrigin) {
    this.gate = gate;
    this.shape = shape;
    this.origin = origin;
    this.connection = shape.connection && new FollowedConnection(shape.connection);
    this.steps = [...origin.steps];
    this.real = origin.real;
    const target = origin.real ?? origin.likeness ?? (Object.create(origin.prototype ?? Object.prototype) as object);
    for (const [name, value] of Object.entries(origin.fields ?? {})) defineField(target, name, value);
    this.proxy = new Proxy(target, {
      get: (target, key) => this.get(target, key),
      set: (target, key, value) => Reflect.set(this.real ?? target, key, value, this.real ?? target),
    });
    objects.set(this.proxy, this);
  }

  /** The object itself where there is one already. */
  get existing(): object | undefined {
    return this.real;
  }

  /** The object itself, made now where a replay had no need of it. Throws what making it throws. */
  realObject(): object {
    if (this.real !== undefined) return this.real;
    const made = this.origin.make();
    this.real = made;
    for (const call of this.noted.splice(0)) call();
    return made;
  }

  /** Calls a method of the object itself. */
  call(key: PropertyKey, parameters: readonly unknown[]): unknown {
    const real = this.realObject();
    return Reflect.apply(Reflect.get(real, key, real) as Method, real, [...this.gate.ownArguments(parameters)]);
  }

  /** Runs a method that is made of others, which it finds behind the gate. */
  compose(key: PropertyKey, { composing }: ClientMethod, parameters: readonly unknown[]): unknown {
    const real = this.realObject();
    const run = (given: readonly unknown[]): unknown =>
      Reflect.apply(Reflect.get(real, key, real) as Method, this.composing(real), [...given]);
    return composing === undefined ? run(parameters) : composing(real, parameters, run, this.proxy);
  }

  /** The proxy as the object's own code sees it: what that reads of the object's state is no reading of the host's. */
  private composing(real: object): object {
    if (this.shape.getters === undefined) return this.proxy;
    this.composer ??= new Proxy(this.proxy, {
      get: (proxy, key) => Reflect.get(this.getterOf(key) === undefined ? proxy : real, key),
    });
    return this.composer;
  }

  /** The object itself where a method of it is called on what stands in front of it. */
  private behind(self: unknown): unknown {
    return self === this.proxy || (self !== undefined && self === this.composer) ? this.real : self;
  }

  /** A member of the object, of what it reads members from, or of the class it answers `instanceof` with. Nothing is made for it. */
  memberOf(key: PropertyKey): unknown {
    const holder = this.real ?? this.origin.likeness ?? this.origin.prototype ?? undefined;
    return holder === undefined ? undefined : Reflect.get(holder, key);
  }

  /** Whether there is nothing behind the proxy and a replay forbids to make it. */
  isStandIn(): boolean {
    return this.real === undefined && wireMode() === 'replay';
  }

  /** Ends what live calls of a replay opened, where what ends it was answered from the recording. */
  closeLive(key: PropertyKey, parameters: readonly unknown[]): void {
    const { liveContext } = this.gate;
    if (this.real === undefined || liveContext === undefined) return;
    // As a part of the call that was allowed to connect: to write on a socket anywhere else is refused.
    const close = async (): Promise<unknown> => runInContext(liveContext, () => this.call(key, parameters));
    close().catch((error: unknown) => reportFailure('closing what live calls opened', error));
  }

  /** A replay answered a call of the object with this; `context`: that of its crossing. */
  answered(key: PropertyKey, parameters: readonly unknown[], served: unknown, context?: Context): void {
    this.connection?.answered(String(key), this.real, served, context);
    this.gate.answered({ method: String(key), parameters, steps: this.steps }, this.real, served);
  }

  /** The proxy in place of the object itself, where a method returned it. */
  handOn(result: unknown): unknown {
    return result === this.real && result !== undefined ? this.proxy : result;
  }

  /** An object that one of the methods gave; `served`: what a stand-in of it says, where a recorded call gave it. */
  child(
    shape: ReturnedObject,
    key: PropertyKey,
    parameters: readonly unknown[],
    real: object | undefined,
    { fields, isAwaited }: ServedObject = { fields: {}, isAwaited: false },
  ): object {
    const { as, hidesArguments }: ClientMethod = this.methodOf(key) ?? {};
    const step: ClientStep = [String(key), hidesArguments === true ? [] : parameters];
    const steps = as === 'aside' ? [...this.steps] : [...this.steps, step];
    const make = (): object => this.makeChild(key, parameters, isAwaited);
    const origin =
      real === undefined ? { make, steps, fields, likeness: this.likenessOf(shape) } : { real, make, steps };
    return new ClientObject(this.gate, shape, origin).proxy;
  }

  private likenessOf({ likeness }: ReturnedObject): object | undefined {
    const { real } = this;
    if (likeness === undefined || real === undefined) return undefined;
    return guarded('making what stands in for an object', () => likeness(real, this.gate.holder), undefined);
  }

  private makeChild(key: PropertyKey, parameters: readonly unknown[], isAwaited: boolean): object {
    const method = this.methodOf(key) ?? {};
    // What is waited for comes too late, and was asked for: a connection, a transaction that nobody ends. What runs the host's
    // code would run it once more, and that with a client that is not behind the gate.
    const made = method.around === undefined && !isAwaited ? this.call(key, parameters) : undefined;
    const isPromised = types.isPromise(made) || (isObject(made) && typeof Reflect.get(made, 'then') === 'function');
    if (isObject(made) && !isPromised) return made;
    if (types.isPromise(made)) made.catch((error: unknown) => reportFailure('making what a live call needs', error));
    const label = this.gate.labelOf(String(key), method);
    throw new ReenactError(
      'replay-refused',
      `What ${label} gave was served from the recording, so nothing live can use it.`,
      {
        where: label,
        next: `Run ${label} live, too.`,
      },
    );
  }

  /** A step or setting: called where there is an object, noted where a replay has none. */
  step(key: PropertyKey, method: ClientMethod, parameters: readonly unknown[], call: () => unknown): unknown {
    const { returns } = method;
    const isLeftOut =
      wireMode() === 'replay' && this.connection?.closesAnswered(String(key), this.real, parameters) === true;
    if (this.isStandIn()) {
      const shape = this.shapeOf(returns);
      if (shape !== undefined) return this.child(shape, key, parameters, undefined);
      this.note(key, method, parameters);
      this.noted.push(() => this.call(key, parameters));
      return returns === 'this' ? this.proxy : undefined;
    }
    const result = isLeftOut ? undefined : call();
    if (result === this.real || result === undefined) this.note(key, method, parameters);
    if (typeof result !== 'object' || result === null || result === this.real) return this.handOn(result);
    method.gave?.(result);
    const shape = this.shapeOf(returns);
    if (shape !== undefined) return this.child(shape, key, parameters, result);
    return returns === 'this' ? this.child(this.shape, key, parameters, result) : result;
  }

  private shapeOf(returns: ClientMethod['returns']): ReturnedObject | undefined {
    if (returns === 'alike') return this.shape;
    return returns === 'this' ? undefined : returns;
  }

  private note(key: PropertyKey, { as }: ClientMethod, parameters: readonly unknown[]): void {
    if (as === 'aside') return;
    const own = this.origin.steps.length;
    const earlier = as === 'setting' ? this.steps.findIndex(([name], index) => index >= own && name === key) : -1;
    if (earlier >= 0) this.steps.splice(earlier, 1);
    this.steps.push([String(key), parameters]);
  }

  private methodOf(key: PropertyKey): ClientMethod | undefined {
    if (Object.hasOwn(this.shape.methods, key)) return this.shape.methods[key];
    const { real } = this;
    const { added } = this.shape;
    if (added !== undefined && real !== undefined && typeof key === 'string') {
      const method = guarded('looking for an added method', () => added(real, key), undefined);
      if (method !== undefined) return method;
    }
    return this.shape.otherMethods === 'steps' && !this.isPassive(key) ? STEP : undefined;
  }

  private getterOf(key: PropertyKey): ClientMethod | undefined {
    const { getters } = this.shape;
    return getters !== undefined && Object.hasOwn(getters, key) ? getters[key as string] : undefined;
  }

  /** Sends the reading of a member through the gate. */
  private read(key: PropertyKey, method: ClientMethod): unknown {
    const call = (): unknown => Reflect.get(this.realObject(), key);
    return crossMethod({ object: this, key, method, parameters: [], call, original: undefined });
  }

  /** What a member holds, behind the gate like the object it is a member of; undefined where it holds no object. */
  private held(key: string, shape: ReturnedObject): object | undefined {
    const known = this.heldObjects.get(key);
    if (known !== undefined) return known;
    if (shape.otherMethods === 'steps of its holder') return this.stepsOfMember(key);
    const steps = [...this.steps];
    const make = (): object => Reflect.get(this.realObject(), key) as object;
    const real: unknown = this.isStandIn() ? undefined : make();
    if (!this.isStandIn() && (typeof real !== 'object' || real === null)) return undefined;
    const origin = real === undefined ? { make, steps } : { real: real as object, make, steps };
    const { proxy } = new ClientObject(this.gate, shape, origin);
    this.heldObjects.set(key, proxy);
    return proxy;
  }

  /** Steps that are written as methods of a member: `multi.json.get(key)`. Where there is an object, the member has what its own member has. */
  private stepsOfMember(member: string): object | undefined {
    const isStandIn = this.isStandIn();
    const holder: unknown = isStandIn ? Object.create(null) : Reflect.get(this.realObject(), member);
    if (!isObject(holder)) return undefined;
    const steps: object = new Proxy(holder, {
      get: (target, key) => {
        if (isStandIn && (typeof key === 'symbol' || passive.has(key))) return undefined;
        const own: unknown = Reflect.get(target, key);
        const isStep =
          isStandIn || (typeof own === 'function' && typeof key === 'string' && !(key in Object.prototype));
        if (!isStep || isPinned(target, key)) return own;
        return this.memoized(`${member}.${String(key)}`, own, () => this.stepOfMember(member, String(key), own));
      },
    });
    this.heldObjects.set(member, steps);
    return steps;
  }

  private stepOfMember(member: string, key: string, original: unknown): Method {
    const apply = (self: unknown, parameters: readonly unknown[]): unknown => {
      const call = (): unknown => {
        const holder = Reflect.get(this.realObject(), member) as object;
        const method = (original ?? Reflect.get(holder, key)) as Method;
        const isOwn = original === undefined || self === this.heldObjects.get(member);
        return Reflect.apply(method, isOwn ? holder : self, [...this.gate.ownArguments(parameters)]);
      };
      if (this.isStandIn()) this.noted.push(call);
      else {
        const result = call();
        if (result !== this.real) return result;
      }
      this.note(`${member}.${key}`, STEP, parameters);
      return this.proxy;
    };
    if (typeof original === 'function') return standingIn(key, original as Method, apply);
    return (...parameters) => apply(undefined, parameters);
  }

  private get(target: object, key: PropertyKey): unknown {
    const shape = this.shape.members?.[key as string];
    const held = shape === undefined ? undefined : this.held(key as string, shape);
    if (held !== undefined) return held;
    const getter = this.getterOf(key);
    if (getter !== undefined) return this.read(key, getter);
    if (this.connection?.has(key) === true && wireMode() === 'replay') {
      return this.connection.member(String(key), this.real);
    }
    if (this.real === undefined && this.isField(target, key)) return Reflect.get(target, key);
    if (this.isListening(target, key)) return this.listening(key, Reflect.get(target, key) as Method);
    const method = this.methodOf(key);
    if (this.real === undefined && (method === undefined || wireMode() !== 'replay') && !this.isPassive(key)) {
      if (wireMode() !== 'replay') this.realObject();
      else if (this.origin.isBare === true && !(key in target)) return undefined;
      else throw this.refused(key);
    }
    const { real } = this;
    if (real === undefined)
      return method === undefined ? standInMember(target, key) : this.listed(key, method, undefined);
    const original: unknown = Reflect.get(real, key, real);
    if (typeof original !== 'function' || key === 'constructor' || isPinned(target, key)) return original;
    return method === undefined ? this.own(key, original as Method) : this.listed(key, method, original as Method);
  }

  /** Whether a stand-in can say what a member is: the host noted it there, or the object that it is like has no such method. */
  private isField(target: object, key: PropertyKey): boolean {
    if (Object.hasOwn(target, key)) return true;
    return this.origin.likeness !== undefined && !(key in target) && this.methodOf(key) === undefined;
  }

  /** Whether a member is how others listen to a stand-in that can be listened to. */
  private isListening(target: object, key: PropertyKey): boolean {
    if (this.origin.likeness === undefined || !this.isStandIn()) return false;
    return key in EventEmitter.prototype && Reflect.get(target, key) === Reflect.get(EventEmitter.prototype, key);
  }

  /** Done on what the stand-in is like, and on the object itself where one is made after all. */
  private listening(key: PropertyKey, original: Method): Method {
    return this.memoized(key, original, () => (...parameters: unknown[]) => {
      const { likeness } = this.origin;
      if (this.methodOf(key) !== undefined) this.noted.push(() => this.call(key, parameters));
      const result = Reflect.apply(original, likeness, parameters);
      return result === likeness ? this.proxy : result;
    });
  }

  private isPassive(key: PropertyKey): boolean {
    return typeof key === 'symbol' || passive.has(String(key));
  }

  /** Told to the replay before it is thrown: the application may catch it. */
  private refused(key: PropertyKey): ReenactError {
    const admission = this.gate.admit({ method: String(key), parameters: [], steps: this.steps }, { effect: 'none' });
    if (admission.type === 'run' || admission.type === 'stub') admission.crossing.abandon();
    return new ReenactError(
      'replay-refused',
      `${this.gate.labelOf(String(key), {})} is not recorded, and there is no live object to ask in a replay.`,
      { where: this.gate.labelOf(String(key), {}), next: 'List the method in the definition of the client.' },
    );
  }

  private memoized(key: PropertyKey, original: unknown, make: () => Method): Method {
    const known = this.members.get(key);
    if (known !== undefined && known.original === original) return known.member;
    const member = make();
    this.members.set(key, { original, member });
    return member;
  }

  private own(key: PropertyKey, original: Method): Method {
    return this.memoized(key, original, () => {
      const apply = (self: unknown, parameters: unknown[]): unknown => {
        const holder = this.behind(self);
        const call = (): unknown => Reflect.apply(original, holder, [...this.gate.ownArguments(parameters)]);
        const result = isDisposal(key) ? coveredWork(call) : call();
        if (result !== this.real) this.gate.leftToClient(key, result);
        return this.handOn(result);
      };
      return standingIn(key, original, apply);
    });
  }

  private listed(key: PropertyKey, method: ClientMethod, original: Method | undefined): Method {
    return this.memoized(key, original, () => {
      const cross = (self: unknown, parameters: unknown[]): unknown => {
        const call = (given: readonly unknown[]): unknown =>
          original === undefined
            ? this.call(key, given)
            : // The very function that was read: the host may have put one in its place that calls it.
              Reflect.apply(original, this.behind(self), [...this.gate.ownArguments(given)]);
        return crossMethod({ object: this, key, method, parameters, call, original });
      };
      if (original !== undefined) return standingIn(key, original, cross);
      return function method(this: unknown, ...parameters: unknown[]): unknown {
        return cross(this, parameters);
      };
    });
  }
}
