import { createHash } from 'node:crypto';
import { isWithheld, recordedHeaders } from '@reenact/instrumentation';

type HeaderPair = readonly [string, string];

/** What a request for a WebSocket says that its answer must go with. */
export interface AskedUpgrade {
  /** Its `Sec-WebSocket-Key`. */
  readonly key: string;
  /** Its `Sec-WebSocket-Protocol`, where it names any. */
  readonly protocols?: string | undefined;
}

/** RFC 6455, 1.3: what a server proves with that it speaks the protocol. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const protocolHeader = 'sec-websocket-protocol';

/** A server may take a subprotocol that was a credential: of those that are asked for now the one that is recorded as it was then. */
function chosenProtocol(recorded: string, asked: string): string {
  const names = (list: string): string[] => list.match(/[^\s,]+/g) ?? [];
  const tokens = names(recordedHeaders([[protocolHeader, asked]])[0]?.[1] ?? '');
  const found = tokens.indexOf(recorded);
  // Without the key of the recording its tokens are others: the first that is replaced stands for it.
  const index = found < 0 ? tokens.findIndex(isWithheld) : found;
  return names(asked)[index] ?? recorded;
}

/** The recorded headers of an answer, for what is asked now. Nothing is compressed: that would only take its time. */
export function answerToUpgrade(
  headers: readonly HeaderPair[],
  { key, protocols }: AskedUpgrade,
): readonly HeaderPair[] {
  const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
  return headers.flatMap(([name, value]): HeaderPair[] => {
    switch (name.toLowerCase()) {
      case 'sec-websocket-extensions':
        return [];
      case 'sec-websocket-accept':
        return [[name, accept]];
      case protocolHeader:
        return [[name, protocols !== undefined && isWithheld(value) ? chosenProtocol(value, protocols) : value]];
      default:
        return [[name, value]];
    }
  });
}
