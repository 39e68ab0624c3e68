import type { IncomingMessage, ServerResponse } from 'node:http';
import { Http2ServerRequest, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { context as contexts } from '@opentelemetry/api';
import { guarded, isClaimedServer, telemetryContext } from '@reenact/instrumentation';
import { isOwnServer } from '@reenact/trace-model';
import type { ListeningAddress } from '../types.ts';
import { httpListening } from './http-listening.ts';
import type { InboundEvent } from './inbound-event.ts';
import { admitInbound } from './inbound-run.ts';
import type { InboundSettings } from './inbound-settings.ts';
import { messageEvent } from './message-event.ts';
import { streamEvent } from './stream-event.ts';

/** `emit` of a server. */
export type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/** What is known of the servers of one class, or of one of them. */
export interface ServerFacts {
  readonly scheme: 'http' | 'https';
  /** What a server of it understands. */
  httpVersions(server: object): ListeningAddress['httpVersions'];
}

interface AnyServer {
  address(): AddressInfo | string | null;
}

function addressOf(server: AnyServer, { scheme, httpVersions }: ServerFacts): ListeningAddress | undefined {
  const address = server.address();
  if (address === null) return undefined;
  const facts = { protocol: scheme, httpVersions: httpVersions(server) };
  if (typeof address === 'string') return { ...facts, address, port: undefined };
  return { ...facts, address: address.address, port: address.port };
}

/** The request that an event brings; undefined for all other events. */
function requestIn(
  event: string | symbol,
  values: readonly unknown[],
  scheme: 'http' | 'https',
  handle: () => boolean,
): InboundEvent | undefined {
  const [first] = values;
  if (event === 'request') {
    // A request of HTTP/2 has come as a stream before.
    if (first instanceof Http2ServerRequest) return undefined;
    return messageEvent(first as IncomingMessage, values[1] as ServerResponse, scheme, handle);
  }
  const [stream, headers, , rawHeaders] = values;
  if (event !== 'stream' || (headers as IncomingHttpHeaders)[':method'] === 'CONNECT') return undefined;
  const given = { headers: headers as IncomingHttpHeaders, rawHeaders: rawHeaders as string[] };
  return streamEvent(stream as ServerHttp2Stream, given, handle);
}

/** `emit` of a server as the gate sees it: a request is admitted before any listener of the host's gets it. */
export function gatedEmit(original: Emit, facts: ServerFacts, settings: InboundSettings): Emit {
  return function emit(this: AnyServer, event: string | symbol, ...values: unknown[]): boolean {
    const handle = (): boolean => Reflect.apply(original, this, [event, ...values]);
    if (!settings.isActive() || isClaimedServer(this)) return handle();
    if (isOwnServer(this)) return contexts.with(telemetryContext(contexts.active()), handle);
    if (event === 'listening') return httpListening.tell(this, () => addressOf(this, facts), handle);
    const isRequest = event === 'request' || event === 'stream';
    if (!isRequest) return handle();
    const request = guarded('reading a request', () => requestIn(event, values, facts.scheme, handle), undefined);
    return request === undefined ? handle() : admitInbound(request, settings);
  };
}
