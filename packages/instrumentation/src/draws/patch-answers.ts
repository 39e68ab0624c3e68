import { ChildProcess } from 'node:child_process';
import { types } from 'node:util';
import { MessagePort, Worker } from 'node:worker_threads';
import { guarded } from '../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../patching/patch-set.ts';

/**
 * Told what passes between this thread and what runs beside it, over channels: a worker thread, a port, or a child process that is told by messages. Its `came` and
 * `behind` must not throw, and call `hand` once, now or later: it gives what has come to who listens.
 */
export interface AnswerListener {
  /** The code here asks over a channel by this message, or starts what is at its other end. What it throws is reported, and changes nothing. */
  asked(channel: object, message?: unknown): void;
  /** A message has come, or that the other end has failed or ended. */
  came(channel: object, hand: () => void, message?: unknown): void;
  /** Code asks whether a message is there over which it is told as well when one comes. `take` takes what is there; what this gives is what the code gets. */
  polled(channel: object, take: () => unknown): unknown;
  /** Something that nobody asked for, and that comes behind all that has come before it. */
  behind(channel: object, hand: () => void): void;
  /** A thread of this script is given the other end of this port, over which it is asked from then on. Must not throw. */
  lent?(port: object, thread: object, script: string): void;
}

/** By which Node.js gives a port what has come, and where it keeps the ports that came with it meanwhile. */
const DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const RECEIVED_PORTS = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');

/** The platform's own: what is left is taken whoever asks whether a message is there. */
const { receiveMessageOnPort: receive } = process.getBuiltinModule('node:worker_threads');

/** What is at the other end of the ports of the platform; null: what passes there is the platform's own. */
const channelOfPort = new WeakMap<object, object | null>();

function notePortsOf(thread: object, isOfPlatform = false): void {
  for (const symbol of Object.getOwnPropertySymbols(thread)) {
    const port: unknown = Object.getOwnPropertyDescriptor(thread, symbol)?.value;
    if (!(port instanceof MessagePort)) continue;
    channelOfPort.set(port, isOfPlatform || symbol.description === 'kPort' ? null : thread);
  }
}

/** Whether it is a thread that the platform started for itself, such as that of asynchronous module hooks (`register` of `node:module`), of a class nobody else has. */
function isThreadOfPlatform(thread: object): boolean {
  return Object.hasOwn(Object.getPrototypeOf(thread) as object, 'receiveMessageSync');
}

/** By which the platform starts such a thread, before anybody can see it. Of a message of the host no getter is called, nor the handler of a proxy: who posts it would see that. */
function startsThreadOfPlatform(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || types.isProxy(message)) return false;
  const member = (name: string): unknown => Object.getOwnPropertyDescriptor(message, name)?.value;
  return member('type') === 'loadScript' && member('isInternal') === true;
}

/** Those over which a thread is spoken to. */
function portsOf(thread: object): MessagePort[] {
  const members = Object.getOwnPropertySymbols(thread).map(
    (symbol): unknown => Object.getOwnPropertyDescriptor(thread, symbol)?.value,
  );
  return members.filter((port) => port instanceof MessagePort).filter((port) => channelOfPort.get(port) === thread);
}

function channelOf(port: object): object | null {
  const channel = channelOfPort.get(port);
  return channel === undefined ? port : channel;
}

/** The other ends of the ports of this thread's channels, as long as they are here, and what each thread was started with. */
const otherEnds = new WeakMap<object, object>();
const scripts = new WeakMap<object, string>();

function noteLent(listener: AnswerListener, thread: object | null, transferred: unknown): void {
  const script = thread === null ? undefined : scripts.get(thread);
  if (thread === null || script === undefined || !Array.isArray(transferred)) return;
  for (const end of transferred) {
    const port = end instanceof MessagePort ? otherEnds.get(end) : undefined;
    if (port !== undefined) listener.lent?.(port, thread, script);
  }
}

function patchMadeChannels(patches: PatchSet): void {
  type ChannelClass = new (...parameters: unknown[]) => { readonly port1: object; readonly port2: object };
  const watched = (original: ChannelClass): ChannelClass => {
    const construct = (target: ChannelClass, parameters: unknown[], made: NewableFunction): object => {
      const channel = Reflect.construct(target, parameters, made) as InstanceType<ChannelClass>;
      otherEnds.set(channel.port1, channel.port2);
      otherEnds.set(channel.port2, channel.port1);
      return channel;
    };
    return new Proxy(original, { construct });
  };
  const threads = process.getBuiltinModule('node:worker_threads');
  const isGlobal = globalThis.MessageChannel === threads.MessageChannel;
  patches.replace<ChannelClass>(threads, 'MessageChannel', watched);
  // The same one, as it is without us.
  if (isGlobal) patches.replace(globalThis, 'MessageChannel', () => threads.MessageChannel);
}

function patchThreads(patches: PatchSet, listener: AnswerListener, asked: AnswerListener['asked']): void {
  let isStarting = false;
  type WorkerClass = new (...parameters: unknown[]) => object;
  patches.replace<WorkerClass>(process.getBuiltinModule('node:worker_threads'), 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], made: NewableFunction): object => {
      const before = isStarting;
      isStarting = true;
      let thread: object;
      try {
        thread = Reflect.construct(target, parameters, made) as object;
      } finally {
        isStarting = before;
      }
      guarded('noting the ports of a thread', () => notePortsOf(thread), undefined);
      if (typeof parameters[0] === 'string' || parameters[0] instanceof URL) scripts.set(thread, String(parameters[0]));
      asked(thread);
      return thread;
    };
    return new Proxy(original, { construct });
  });
  patches.replace<AnyFunction>(Worker.prototype, 'postMessage', (original) => {
    const post: AnyFunction = function (this: unknown, ...parameters) {
      const thread = this as object;
      guarded('looking whose a thread is', () => isThreadOfPlatform(thread) && notePortsOf(thread, true), false);
      return Reflect.apply(original, thread, parameters);
    };
    return disguised(post, original);
  });
  patches.replace(Worker.prototype, 'constructor', () => process.getBuiltinModule('node:worker_threads').Worker);
  patches.replace<AnyFunction>(MessagePort.prototype, 'postMessage', (original) => {
    const post: AnyFunction = function (this: unknown, ...parameters) {
      const isOfPlatform = guarded('looking whose a message is', () => startsThreadOfPlatform(parameters[0]), false);
      if (isOfPlatform) channelOfPort.set(this as object, null);
      const channel = isStarting ? null : channelOf(this as object);
      if (channel !== null) asked(channel, parameters[0]);
      guarded('noting a port that a thread is given', () => noteLent(listener, channel, parameters[1]), undefined);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(post, original);
  });
}

function patchPorts(patches: PatchSet, listener: AnswerListener): void {
  patches.precede<AnyFunction>(MessagePort.prototype, DISPATCH, (inherited) => {
    return function (this: unknown, ...parameters: unknown[]): unknown {
      const port = this as Record<symbol, unknown>;
      const channel = channelOf(port);
      if (channel === null) return Reflect.apply(inherited, port, parameters);
      const ports = port[RECEIVED_PORTS];
      const hand = (): void => {
        port[RECEIVED_PORTS] = ports;
        try {
          Reflect.apply(inherited, port, parameters);
        } finally {
          port[RECEIVED_PORTS] = undefined;
        }
      };
      if (parameters[1] === 'message') listener.came(channel, hand, parameters[0]);
      else listener.behind(channel, hand);
      return undefined;
    };
  });
}

function patchPolls(patches: PatchSet, listener: AnswerListener): void {
  patches.wrap(process.getBuiltinModule('node:worker_threads'), 'receiveMessageOnPort', ({ parameters, proceed }) => {
    const [port] = parameters;
    const isTold = port instanceof MessagePort && port.listenerCount('message') > 0;
    const channel = isTold ? channelOf(port) : null;
    return channel === null ? proceed() : listener.polled(channel, () => proceed());
  });
}

/** What is told of by an event of an object, rather than by a port. */
interface ToldEvents {
  readonly came: ReadonlySet<unknown>;
  readonly behind: ReadonlySet<unknown>;
}

const eventsOfThread: ToldEvents = { came: new Set(['error']), behind: new Set() };
const eventsOfProcess: ToldEvents = { came: new Set(['message']), behind: new Set(['exit', 'close', 'disconnect']) };

function patchEvents(patches: PatchSet, owner: object, events: ToldEvents, listener: AnswerListener): void {
  patches.precede<AnyFunction>(owner, 'emit', (inherited) => {
    const emit: AnyFunction = function (this: unknown, ...parameters) {
      const how = events.came.has(parameters[0]) ? 'came' : events.behind.has(parameters[0]) ? 'behind' : undefined;
      if (how === undefined || ending === this) return Reflect.apply(inherited, this, parameters);
      let isHeard: unknown = true;
      listener[how](this as object, () => {
        isHeard = Reflect.apply(inherited, this, parameters);
      });
      return isHeard;
    };
    return disguised(emit, inherited);
  });
}

/** The thread whose end is told just now. */
let ending: unknown;

/** Hands on what is left on a port, and what of it cannot be read as the platform does. */
function drain(port: MessagePort): void {
  const dispatch = Reflect.get(MessagePort.prototype, DISPATCH) as AnyFunction;
  const next = (): readonly [said: unknown, type: string] | undefined => {
    try {
      const left = receive(port);
      return left === undefined ? undefined : [left.message, 'message'];
    } catch (error) {
      return [error, 'messageerror'];
    }
  };
  for (let left = next(); left !== undefined; left = next()) Reflect.apply(dispatch, port, [...left, undefined]);
}

/** As what a thread has said last comes before its end, and nobody listens to it any more behind that. */
function patchEnds(patches: PatchSet, listener: AnswerListener): void {
  const ends = Object.getOwnPropertySymbols(Worker.prototype).find(({ description }) => description === 'kOnExit');
  if (ends === undefined) return;
  patches.replace<AnyFunction>(Worker.prototype, ends, (original) => {
    return function (this: unknown, ...parameters: unknown[]): void {
      const thread = this as object;
      for (const port of guarded('finding the ports of a thread', () => portsOf(thread), [])) {
        guarded('taking what a thread said last', () => drain(port), undefined);
      }
      listener.came(thread, () => {
        const before = ending;
        ending = thread;
        try {
          Reflect.apply(original, thread, parameters);
        } finally {
          ending = before;
        }
      });
    };
  });
}

/** Has `listener` told of what threads, ports and child processes are asked, and decide when what they say is heard. */
export function patchAnswers(patches: PatchSet, listener: AnswerListener): void {
  const asked = (channel: object, message?: unknown): void =>
    guarded('noting who asks', () => listener.asked(channel, message), undefined);
  patchMadeChannels(patches);
  patchThreads(patches, listener, asked);
  patchPorts(patches, listener);
  patchPolls(patches, listener);
  patchEvents(patches, Worker.prototype, eventsOfThread, listener);
  patchEvents(patches, ChildProcess.prototype, eventsOfProcess, listener);
  patchEnds(patches, listener);
  patches.wrap(ChildProcess.prototype, 'spawn', ({ self, proceed }) => {
    asked(self as object);
    return proceed();
  });
}
