import type { ClientRequest, IncomingMessage } from 'node:http';
import { errorFacts } from './http-suite.ts';

const requestEvents = ['response', 'timeout', 'abort', 'error', 'finish', 'close'] as const;
const responseEvents = ['data', 'aborted', 'error', 'end', 'close'] as const;

function messageFacts(message: IncomingMessage): unknown {
  const { statusCode, statusMessage, headers, rawHeaders, httpVersion } = message;
  return { statusCode, statusMessage, headers, rawHeaders, httpVersion };
}

/** Everything that happens to a request from here on, in order, until it has closed. */
export function logOf(request: ClientRequest, onResponse?: (response: IncomingMessage) => void): Promise<unknown[]> {
  const log: unknown[] = [];
  for (const event of requestEvents) {
    request.on(event, (value: unknown) => {
      log.push(event === 'response' ? ['response', messageFacts(value as IncomingMessage)] : [event, errorFacts(value)]);
      if (event !== 'response') return;
      const response = value as IncomingMessage;
      for (const name of responseEvents) {
        response.on(name, (detail: unknown) => {
          log.push([`response ${name}`, Buffer.isBuffer(detail) ? detail.toString('latin1') : errorFacts(detail)]);
          if (name === 'end') log.push(['trailers', response.rawTrailers, response.complete]);
        });
      }
      onResponse?.(response);
    });
  }
  return new Promise((resolve) => {
    // Whatever comes with the close has come when the next turn begins.
    request.on('close', () => setImmediate(() => setImmediate(() => resolve(log))));
  });
}
