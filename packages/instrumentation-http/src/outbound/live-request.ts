import type { ClientRequest, IncomingMessage } from 'node:http';
import { headerPairs } from '../header-pairs.ts';
import type { ReplaySocket } from './replay-socket.ts';
import { asksToContinue } from './request-parameters.ts';
import { bodyBytes, endBytes, framingOf, headBytes, interimBytes } from './wire-response.ts';

function relayBody(method: string, response: IncomingMessage, socket: ReplaySocket): void {
  const head = { headers: headerPairs(response.rawHeaders) };
  const hasNoBody = method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304;
  response.on('data', (bytes: Uint8Array) => socket.deliver(bodyBytes(head, bytes)));
  response.on('end', () => {
    if (hasNoBody) return;
    const framing = framingOf(head);
    if (framing === 'chunked') socket.deliver(endBytes(headerPairs(response.rawTrailers)));
    else if (framing === 'close') socket.push(null);
  });
  response.on('error', () => socket.destroy());
}

/**
 * Sends a request for real and plays what comes back onto the socket of the one the host holds. The host's request ends as
 * the real one does, and calling it off calls off the real one.
 */
export function relayRequest(real: ClientRequest, body: Uint8Array, socket: ReplaySocket): void {
  socket.once('close', () => real.destroy());
  real.on('information', ({ statusCode, statusMessage, rawHeaders }) => {
    // Whoever asked for a go-ahead was given it before the whole request was known.
    if (statusCode === 100 && asksToContinue(real)) return;
    socket.deliver(interimBytes({ status: statusCode, statusText: statusMessage, headers: headerPairs(rawHeaders) }));
  });
  real.on('response', (response) => {
    socket.deliver(
      headBytes({
        httpVersion: response.httpVersion,
        status: response.statusCode ?? 0,
        statusText: response.statusMessage ?? '',
        headers: headerPairs(response.rawHeaders),
      }),
    );
    relayBody(real.method, response, socket);
  });
  real.on('error', (error) => socket.destroy(error));
  real.end(body);
}
