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

/** Statuses whose answers have no body (fetch standard, "null body status"). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

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
          try {
            const body = bodiless.has(statusCode) ? null : (Readable.toWeb(answer) as ReadableStream);
            if (body === null) answer.resume();
            resolve(new Response(body, { status: statusCode, headers: pairs }));
          } catch (thrown) {
            // What answers with a status that is none is no collector.
            answer.destroy();
            reject(thrown);
          }
        },
      );
      sent.once('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
      sent.end(typeof body === 'string' ? body : undefined);
    });
}
