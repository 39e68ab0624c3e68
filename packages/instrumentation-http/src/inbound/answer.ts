import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { BodyTape, definedAttributes, givenCookies, guarded, type OpenCrossing } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE, ATTR_HTTP_ROUTE } from '@reenact/semconv/core';
import { ATTR_REENACT_COOKIES_GIVEN } from '@reenact/semconv/reenact';
import { patchInstance } from '../instance-patch.ts';
import { ANSWER_BODY_BYTES_MAX } from '../limits.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import { answerValue } from './answer-value.ts';
import { InterimAnswers, plainHeaders } from './interim-answers.ts';

/** The headers as they were written; those given to `writeHead` alone are in no other place. */
function writtenHeaders(response: ServerResponse): [name: string, value: string][] {
  const block: unknown = Reflect.get(response, '_header');
  const lines = typeof block === 'string' ? block.split('\r\n').slice(1) : [];
  return lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]] : [];
  });
}

function cookiesIn(headers: readonly (readonly [name: string, value: string])[]): string[] {
  return headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []));
}

/** The pattern the request was routed by, where the framework leaves it on the request, as Express does. */
function routeOf(request: IncomingMessage): string | undefined {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  const base: unknown = Reflect.get(request, 'baseUrl');
  return typeof path === 'string' ? `${typeof base === 'string' ? base : ''}${path}` : undefined;
}

/** What a handler says before its answer and after the body of it. */
class Surroundings {
  private readonly interim = new InterimAnswers();
  private trailers: Readonly<Record<string, string>> = {};

  watch(response: ServerResponse): void {
    // Seen once the platform took it: what it refuses is thrown to the handler and was never said.
    const seen = (see: () => void): void => guarded('recording an answer', see, undefined);
    patchInstance(response, 'writeProcessing', (original) => (...given) => {
      Reflect.apply(original, response, given);
      seen(() => this.interim.add(102, {}));
    });
    patchInstance(response, 'writeEarlyHints', (original) => (...given) => {
      Reflect.apply(original, response, given);
      seen(() => this.interim.add(103, given[0] as OutgoingHttpHeaders));
    });
    patchInstance(response, 'addTrailers', (original) => (...given) => {
      Reflect.apply(original, response, given);
      seen(() => {
        const [trailers] = given;
        this.trailers = plainHeaders(
          Array.isArray(trailers) ? Object.fromEntries(trailers) : (trailers as OutgoingHttpHeaders),
        );
      });
    });
  }

  /** Around the answer itself. */
  around(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { trailers } = this;
    return { ...this.interim.value, ...answer, ...(Object.keys(trailers).length === 0 ? {} : { trailers }) };
  }
}

/**
 * Watches how a request is answered and ends its run with what was said before, status, headers, body and trailers, or, after
 * `abandoned`, as aborted where nobody is left. `url`: as it came, for frameworks change the one of the request.
 */
export function watchAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { crossing, url, abandoned }: { readonly crossing: OpenCrossing; readonly url: string; abandoned(): void },
): void {
  const tape = new BodyTape(ANSWER_BODY_BYTES_MAX);
  const surroundings = new Surroundings();
  guarded('watching an answer', () => surroundings.watch(response), undefined);
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
      const { statusCode: status } = response;
      const written = writtenHeaders(response);
      crossing.describe({ content: { [ATTR_REENACT_COOKIES_GIVEN]: givenCookies(cookiesIn(written)) } });
      const { value, redacted, lossy } = answerValue({ status, headers: new Map(written), tape, url });
      for (const mark of lossy) crossing.markLossy(mark);
      crossing.settle({ type: 'returned', value: surroundings.around(value), redacted });
    },
  });
  response.once('close', () => {
    abandoned();
    crossing.settle({ type: 'aborted', chunks: [] });
  });
}
