import type { ClientHttp2Session } from 'node:http2';
import { guarded, type OpenCrossing } from '@reenact/instrumentation';
import { patchInstance } from '../instance-patch.ts';

const recordedRequests = new WeakMap<object, Set<OpenCrossing>>();

/** The requests of a session that are being recorded; Node.js does not say to which of them a push belongs. */
export function requestsOf(session: object): Set<OpenCrossing> {
  const known = recordedRequests.get(session) ?? new Set();
  recordedRequests.set(session, known);
  return known;
}

/** Marks the requests of a session during which the host is told of a pushed stream: a replay pushes nothing. */
export function watchPushes(session: ClientHttp2Session): void {
  const seen = (event: unknown): void => {
    if (event !== 'stream' || session.listenerCount('stream') === 0) return;
    for (const crossing of requestsOf(session)) crossing.markLossy('/exchanges/0/response pushed streams not kept');
  };
  patchInstance(session, 'emit', (emit) => {
    return function emitWatched(this: ClientHttp2Session, ...values: never[]): boolean {
      guarded('watching a session', () => seen(values[0]), undefined);
      return Reflect.apply(emit, this, values) as boolean;
    } as ClientHttp2Session['emit'];
  });
}
