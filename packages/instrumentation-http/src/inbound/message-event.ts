import type { IncomingMessage, ServerResponse } from 'node:http';
import { tapIncomingBody } from '../incoming-body-tap.ts';
import { watchAnswer } from './answer.ts';
import type { InboundEvent } from './inbound-event.ts';
import { wholeBody } from './whole-body.ts';

/** A request that came by HTTP/1: a message and its response. */
export function messageEvent(
  request: IncomingMessage,
  response: ServerResponse,
  scheme: 'http' | 'https',
  handle: () => boolean,
): InboundEvent {
  const { method = 'GET', url = '/', headers, rawHeaders, httpVersion, socket } = request;
  return {
    carrier: request,
    head: {
      method,
      url,
      headers,
      rawHeaders,
      scheme,
      httpVersion,
      authority: headers.host,
      localPort: socket.localPort,
    },
    emitters: [request, response],
    handle,
    watchBody: (tap) => tapIncomingBody(request, tap),
    wholeBody: () => wholeBody(request),
    leave: () => void socket.destroy(),
    watchAnswer: (crossing, abandoned) => watchAnswer(request, response, { crossing, url, abandoned }),
    respond: (status, given, body) => void response.writeHead(status, given).end(body),
  };
}
