import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { headerPairs } from '../header-pairs.ts';
import type { ReplaySession } from './replay-session.ts';
import { type Connect, headersOfPairs, plainPairs, type SessionOrigin } from './session-origin.ts';

/** What a request that is made for real is made of. */
export interface LiveStreamParts {
  readonly origin: SessionOrigin;
  readonly connect: Connect;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

/** Sends a request for real, over a connection of its own, and plays what comes back to the one the host holds. */
export async function relayStream(
  parts: LiveStreamParts,
  stream: ClientHttp2Stream,
  session: ReplaySession,
): Promise<void> {
  const { origin, connect, headers, body } = parts;
  // First, so that nothing of the answer comes before somebody listens.
  const far = await session.farEnd(stream);
  if (far === undefined) return;
  const real = connect(origin.authority, origin.options);
  const fail = (error: Error): void => void stream.destroy(error);
  real.on('error', fail);
  const request = real.request(headers, { endStream: body.byteLength === 0 });
  stream.once('close', () => {
    request.destroy();
    real.close();
  });
  request.on('error', fail);
  if (body.byteLength > 0) request.end(body);
  let trailers: Record<string, string | string[]> = {};
  request.on('trailers', (given) => {
    trailers = headersOfPairs(plainPairs(given));
  });
  far.once('wantTrailers', () => far.sendTrailers(trailers));
  request.on('response', (answered, _flags, ...rest: unknown[]) => {
    const raw = rest[0];
    const pairs = Array.isArray(raw)
      ? headerPairs(raw.map(String)).filter(([name]) => !name.startsWith(':'))
      : plainPairs(answered);
    const options = { sendDate: false, waitForTrailers: true };
    far.respond({ ':status': answered[':status'] ?? 200, ...headersOfPairs(pairs) }, options);
  });
  request.on('data', (chunk: Buffer) => far.write(chunk));
  request.on('end', () => far.end());
}
