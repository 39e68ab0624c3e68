import { processState } from '@reenact/trace-model';

/** The local ends of connections, of all copies of this package. */
const ends = processState('recorded-web-sockets.1', () => new Set<string>());

interface Ended {
  readonly address?: unknown;
  readonly session?: { readonly socket?: Ended };
}

function endOf(address: unknown): string {
  return JSON.stringify(address ?? null);
}

/** Notes that what passes over a connection is recorded, before whoever opened a WebSocket over it tells of that. */
export function noteRecordedWebSocket(socket: object): void {
  const { address, session } = socket as Ended;
  if (typeof address === 'function') ends.add(endOf(Reflect.apply(address, socket, [])));
  else if (session?.socket !== undefined) noteRecordedWebSocket(session.socket);
}

/** Whether a WebSocket that is told of as open is one of those, by the local end of its connection. Asks once for each. */
export function isRecordedWebSocket(address: unknown): boolean {
  return ends.delete(endOf(address));
}
