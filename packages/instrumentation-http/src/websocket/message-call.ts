import type { GateCall } from '@reenact/instrumentation';
import { ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import { CANONICAL_POLICIES, type CaptureLevel, urlPlace } from '@reenact/trace-model';
import type { MessageInput } from './websocket-message.ts';

/** Which connection messages belong to. */
export interface MessagePlace {
  readonly url: URL;
  readonly capture: CaptureLevel;
}

function messageCall({ url, capture }: MessagePlace, input: MessageInput, direction: 'SEND' | 'RECEIVE'): GateCall {
  const name = `${direction} ${url.host}`;
  const { host, port = 0 } = urlPlace(url);
  const isSent = direction === 'SEND';
  return {
    boundary: {
      kind: 'http',
      name,
      effect: isSent ? 'write' : 'read',
      capture,
      policy: isSent ? CANONICAL_POLICIES.httpRequest : CANONICAL_POLICIES.delivery,
    },
    input,
    call: 'sync',
    span: {
      name,
      kind: isSent ? 'producer' : 'consumer',
      slim: {
        [ATTR_SERVER_ADDRESS]: host,
        [ATTR_SERVER_PORT]: port,
      },
    },
  };
}

/** Describes a message that an agent sends over a WebSocket to the gate. */
export function sentCall(place: MessagePlace, input: MessageInput): GateCall {
  return messageCall(place, input, 'SEND');
}

/** The same of one that has come: a delivery that is over at once (docs/adr/0044). */
export function receivedCall(place: MessagePlace, input: MessageInput): GateCall {
  return messageCall(place, input, 'RECEIVE');
}
