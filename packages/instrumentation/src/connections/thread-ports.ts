import { MessagePort } from 'node:worker_threads';

const threadOfPort = new WeakMap<object, object>();

/** Notes by which ports the platform speaks with a thread that has been started: what is sent by them is for no other one. */
export function noteThreadPorts(thread: object): void {
  for (const symbol of Object.getOwnPropertySymbols(thread)) {
    const port: unknown = Object.getOwnPropertyDescriptor(thread, symbol)?.value;
    if (port instanceof MessagePort) threadOfPort.set(port, thread);
  }
}

/** For which thread a message is that is sent by a port; none: the platform only asks one for what it prints; any: it may be for each that was given a port. */
export type Receiver = { readonly thread: object } | 'none' | 'any';

/** For whom this message is. */
export function receiverOf(port: object, message: unknown): Receiver {
  const thread = threadOfPort.get(port);
  if (thread === undefined) return 'any';
  return (message as { readonly type?: unknown } | null)?.type === 'stdioWantsMoreData' ? 'none' : { thread };
}
