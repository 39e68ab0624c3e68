import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import { context as contexts } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { guarded } from '@reenact/instrumentation';
import { isOwnServer } from '@reenact/trace-model';
import { patchProperty } from '../property-patch.ts';
import type { HttpInstrumentationConfig, ListeningAddress } from '../types.ts';
import { admitInbound } from './inbound-run.ts';
import type { InboundSettings } from './inbound-settings.ts';

type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

function addressOf(server: Server, scheme: 'http' | 'https'): ListeningAddress | undefined {
  const address = server.address();
  if (address === null) return undefined;
  if (typeof address === 'string') return { protocol: scheme, address, port: undefined };
  return { protocol: scheme, address: address.address, port: address.port };
}

/** `emit` of a server as the gate sees it: a request is admitted before any listener of the host's gets it. */
function gatedEmit(original: Emit, scheme: 'http' | 'https', settings: InboundSettings): Emit {
  return function emit(this: Server, event: string | symbol, ...values: unknown[]): boolean {
    const handle = (): boolean => Reflect.apply(original, this, [event, ...values]);
    if (!settings.isActive()) return handle();
    if (isOwnServer(this)) return contexts.with(suppressTracing(contexts.active()), handle);
    if (event === 'listening') {
      const address = guarded('reading an address', () => addressOf(this, scheme), undefined);
      if (address !== undefined) settings.listening(address);
    }
    if (event !== 'request') return handle();
    const [request, response] = values as [IncomingMessage, ServerResponse];
    return admitInbound({ request, response, scheme, handle }, settings);
  };
}

/** Puts the gate before every server of this process. Returns how to undo it. */
export function patchInbound(config: HttpInstrumentationConfig): () => void {
  let isOn = true;
  const settings: InboundSettings = {
    capture: config.capture ?? 'full',
    isActive: () => isOn,
    ignores: (request) => guarded('asking ignore', () => config.ignore?.(request) === true, false),
    listening: (address) => guarded('telling where a server listens', () => config.onListening?.(address), undefined),
  };
  const undos = [
    patchProperty<Emit>(http.Server.prototype, 'emit', (emit) => gatedEmit(emit, 'http', settings)),
    patchProperty<Emit>(https.Server.prototype, 'emit', (emit) => gatedEmit(emit, 'https', settings)),
  ];
  return () => {
    isOn = false;
    for (const undo of undos.reverse()) undo();
  };
}
