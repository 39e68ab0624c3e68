import https from 'node:https';
import { gatedFetch } from './fetch/gated-fetch.ts';
import { patchHttp2 } from './http2/patch-http2.ts';
import { gatedGet, gatedRequest, type MakeRequest } from './outbound/gated-request.ts';
import { type OutboundSettings, outboundSettings } from './outbound/outbound-settings.ts';
import { watchPassedByRequests } from './outbound/passed-by-requests.ts';
import type { RequestModule } from './outbound/replay-connection.ts';
import { platformHttp } from './platform-http.ts';
import { patchProperty } from './property-patch.ts';
import type { HttpInstrumentationConfig } from './types.ts';

function patchModule(target: object, module: RequestModule, settings: OutboundSettings): () => void {
  const original = Reflect.get(target, 'request') as MakeRequest;
  const request = gatedRequest(original, module, settings);
  const undoRequest = patchProperty<MakeRequest>(target, 'request', () => request);
  const undoGet = patchProperty<MakeRequest>(target, 'get', (get) => gatedGet(get, request, settings));
  return () => {
    undoGet();
    undoRequest();
  };
}

/** Puts the gate into every way of sending a request. Named imports of the modules do not see it yet. Returns how to undo it. */
export function patchOutbound(config: HttpInstrumentationConfig): () => void {
  let isOn = true;
  const settings = outboundSettings(config, () => isOn);
  const undos = [
    patchModule(platformHttp, { scheme: 'http:', globalAgent: () => platformHttp.globalAgent }, settings),
    patchModule(https, { scheme: 'https:', globalAgent: () => https.globalAgent }, settings),
    watchPassedByRequests(),
    patchHttp2(settings),
    patchProperty<typeof fetch>(globalThis, 'fetch', (original) => gatedFetch(original, settings)),
  ];
  return () => {
    isOn = false;
    for (const undo of undos.reverse()) undo();
  };
}
