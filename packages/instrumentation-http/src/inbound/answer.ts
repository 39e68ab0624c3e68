import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTape, definedAttributes, type OpenCrossing } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE, ATTR_HTTP_ROUTE } from '@reenact/semconv/core';
import { ANSWER_BODY_BYTES_MAX } from '../limits.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import { answerValue } from './answer-value.ts';

/** The headers as they were written; those given to `writeHead` alone are in no other place. */
function writtenHeaders(response: ServerResponse): Map<string, string> {
  const block: unknown = Reflect.get(response, '_header');
  const lines = typeof block === 'string' ? block.split('\r\n').slice(1) : [];
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** The pattern the request was routed by, where the framework leaves it on the request, as Express does. */
function routeOf(request: IncomingMessage): string | undefined {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  const base: unknown = Reflect.get(request, 'baseUrl');
  return typeof path === 'string' ? `${typeof base === 'string' ? base : ''}${path}` : undefined;
}

/** Watches how a request is answered and ends its run with status, headers and body, or as aborted where nobody is left. */
export function watchAnswer(request: IncomingMessage, response: ServerResponse, crossing: OpenCrossing): void {
  const tape = new BodyTape(ANSWER_BODY_BYTES_MAX);
  const describe = (): void => {
    const { statusCode } = response;
    crossing.describe({
      slim: definedAttributes({
        [ATTR_HTTP_RESPONSE_STATUS_CODE]: statusCode,
        [ATTR_HTTP_ROUTE]: routeOf(request),
        [ATTR_ERROR_TYPE]: statusCode >= 500 ? String(statusCode) : undefined,
      }),
    });
  };
  tapOutgoingBody(response, {
    chunk: (bytes) => {
      // A HEAD request is answered without the body that its handler may have written.
      if (request.method !== 'HEAD') tape.keep(bytes, 0);
    },
    ended: () => {
      describe();
      crossing.settle({ type: 'returned', value: answerValue(response.statusCode, writtenHeaders(response), tape) });
    },
  });
  response.once('close', () => crossing.settle({ type: 'aborted', chunks: [] }));
}
