import type { IncomingMessage, ServerResponse } from 'node:http';

/** Those whose sender waits to be told before it sends the body (`Expect: 100-continue`, of HTTP/1.1). */
const waiting = new WeakSet<IncomingMessage>();

/** Notes that the sender of a request waits. */
export function noteWaiting(request: IncomingMessage): void {
  waiting.add(request);
}

/** Whether its sender waits still. */
export function isWaiting(request: IncomingMessage): boolean {
  return waiting.has(request);
}

/** Tells the sender of a request that waits for it to send the body; whoever is to be refused hears that before, and sends none. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}
