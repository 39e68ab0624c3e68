import http2, { type SecureServerOptions } from 'node:http2';
import https from 'node:https';
import { guarded } from '@reenact/instrumentation';
import { platformHttp } from '../platform-http.ts';
import { patchProperty } from '../property-patch.ts';
import type { HttpInstrumentationConfig } from '../types.ts';
import { type Emit, gatedEmit, type ServerFacts } from './gated-emit.ts';
import { httpListening } from './http-listening.ts';
import { type InboundSettings, inboundSettings } from './inbound-settings.ts';

type CreateServer = (...given: unknown[]) => object;

/** Servers of HTTP/2 that answer requests of HTTP/1.1, too. */
const bothVersions = new WeakSet<object>();

const plain = (scheme: 'http' | 'https'): ServerFacts => ({ scheme, httpVersions: () => ['1.1'] });

const streamed = (scheme: 'http' | 'https'): ServerFacts => ({
  scheme,
  httpVersions: (server) => (bothVersions.has(server) ? ['2', '1.1'] : ['2']),
});

function allowsHttp1(given: readonly unknown[]): boolean {
  const [options] = given;
  return typeof options === 'object' && options !== null && (options as SecureServerOptions).allowHTTP1 === true;
}

/** The class of such servers can be had only from one of them: it is patched when the first is made. */
function patchHttp2(key: 'createServer' | 'createSecureServer', settings: InboundSettings): () => void {
  const facts = streamed(key === 'createServer' ? 'http' : 'https');
  let undoEmit: (() => void) | undefined;
  const watch = (server: object, given: readonly unknown[]): void => {
    if (key === 'createSecureServer' && allowsHttp1(given)) bothVersions.add(server);
    undoEmit ??= patchProperty<Emit>(Object.getPrototypeOf(server) as object, 'emit', (emit) =>
      gatedEmit(emit, facts, settings),
    );
  };
  const undoCreate = patchProperty<CreateServer>(http2, key, (original) => {
    return function create(this: unknown, ...given: unknown[]): object {
      const server = Reflect.apply(original, this, given);
      if (settings.isActive()) guarded('watching a server', () => watch(server, given), undefined);
      return server;
    };
  });
  return () => {
    undoCreate();
    undoEmit?.();
  };
}

/** Puts the gate before every server of this process. Named imports of the modules do not see it yet. Returns how to undo it. */
export function patchInbound(config: HttpInstrumentationConfig): () => void {
  let isOn = true;
  const settings = inboundSettings(config, () => isOn);
  const { onListening } = config;
  const undos = [
    onListening === undefined ? () => undefined : httpListening.add(onListening),
    patchProperty<Emit>(platformHttp.Server.prototype, 'emit', (emit) => gatedEmit(emit, plain('http'), settings)),
    patchProperty<Emit>(https.Server.prototype, 'emit', (emit) => gatedEmit(emit, plain('https'), settings)),
    patchHttp2('createServer', settings),
    patchHttp2('createSecureServer', settings),
  ];
  return () => {
    isOn = false;
    for (const undo of undos.reverse()) undo();
  };
}
