import { MessagePort } from 'node:worker_threads';
import { guarded } from '../../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';

/** Told of each message to a thread before it is sent. What it throws is reported, and changes nothing for who sends. */
export interface ThreadMessageListener {
  /** One to this thread. */
  sentTo(thread: object, transferred: unknown): void;
  /** One over a port that is no thread's own: it may be for each that was given one. */
  sentByPort(): void;
  /** One that every thread may hear, or one by the number of a thread. */
  broadcast(): void;
}

/** What is watched of threads. */
export interface WatchedThreads {
  /** Starts a thread. What the platform sends for that is no message. Returns and throws what `start` does. */
  starting<Thread extends object>(start: () => Thread): Thread;
}

const threadOfPort = new WeakMap<object, object>();

/** Notes by which ports the platform speaks with a thread: what is sent by them is for no other one. */
function notePortsOf(thread: object): void {
  for (const symbol of Object.getOwnPropertySymbols(thread)) {
    const port: unknown = Object.getOwnPropertyDescriptor(thread, symbol)?.value;
    if (port instanceof MessagePort) threadOfPort.set(port, thread);
  }
}

/** The platform asks a thread for what it prints in the same way. */
function isOfPlatform(message: unknown): boolean {
  return (message as { readonly type?: unknown } | null)?.type === 'stdioWantsMoreData';
}

function tellOfPort(listener: ThreadMessageListener, port: object, [message, transferred]: readonly unknown[]): void {
  const thread = threadOfPort.get(port);
  if (thread === undefined) listener.sentByPort();
  else if (!isOfPlatform(message)) listener.sentTo(thread, transferred);
}

/** Has a listener told of what the threads of this process are asked. Start them by what this gives, or their start counts as a message. */
export function watchThreadMessages(patches: PatchSet, listener: ThreadMessageListener): WatchedThreads {
  const workerThreads = process.getBuiltinModule('node:worker_threads');
  const { BroadcastChannel, MessagePort: Port, Worker } = workerThreads;
  // The platform sends what is for a thread by a port: which thread it is for has been told then.
  let isTold = false;
  const asTold = <Sent>(send: () => Sent): Sent => {
    const before = isTold;
    isTold = true;
    try {
      return send();
    } finally {
      isTold = before;
    }
  };
  type Tell = (self: object, parameters: readonly unknown[]) => void;
  const watch = (owner: object, tell: Tell, key = 'postMessage'): void =>
    patches.replace<AnyFunction>(owner, key, (original) => {
      const post: AnyFunction = function (this: unknown, ...parameters) {
        if (!isTold) guarded('noting what a thread is asked', () => tell(this as object, parameters), undefined);
        return asTold(() => Reflect.apply(original, this, parameters));
      };
      return disguised(post, original);
    });
  watch(Worker.prototype, (thread, [, transferred]) => listener.sentTo(thread, transferred));
  watch(Port.prototype, (port, parameters) => tellOfPort(listener, port, parameters));
  watch(BroadcastChannel.prototype, () => listener.broadcast());
  watch(workerThreads, () => listener.broadcast(), 'postMessageToThread');
  return {
    starting: (start) => {
      const thread = asTold(start);
      guarded('noting the ports of a thread', () => notePortsOf(thread), undefined);
      return thread;
    },
  };
}
