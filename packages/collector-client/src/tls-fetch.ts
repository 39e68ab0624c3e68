import { Agent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** What a client of a collector trusts and shows; each is PEM, as it stands in the file. */
export interface ClientTls {
  /** Authorities that are trusted instead of the system's. */
  readonly ca?: string;
  /** The client's own certificate, with its key. */
  readonly certificate?: string;
  readonly key?: string;
}

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` over connections that trust and show what is given, which the platform's own can be told only for a whole process. For
 * questions to a collector: `https:` addresses, a text as the body, and answers as they come; redirects are not followed.
 */
export function tlsFetch({ ca, certificate, key }: ClientTls): Fetch {
  const agent = new Agent({
    keepAlive: true,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  });
  return async (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const sent = httpsRequest(
        new URL(String(input)),
        {
          agent,
          method,
          headers: Object.fromEntries(new Headers(headers)),
          ...(signal === undefined || signal === null ? {} : { signal }),
        },
        (answer) => {
          const { statusCode = 0, headersDistinct } = answer;
          const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          );
          resolve(new Response(Readable.toWeb(answer) as ReadableStream, { status: statusCode, headers: pairs }));
        },
      );
      sent.once('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
      sent.end(typeof body === 'string' ? body : undefined);
    });
}
