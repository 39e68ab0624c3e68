import { channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { isIPv6 } from 'node:net';
import { gate, guarded, isTelemetryTarget, recordConnection, requestingCode, trapLog } from '@reenact/instrumentation';
import { processState } from '@reenact/trace-model';

/** What `node:http` and `node:https` tell of each request that is made, whoever makes it, before anything of it is sent. */
const made = channel('http.client.request.created');

/** How many requests are being made by functions that are patched, shared between copies of this package. */
const patched = processState('patched-requests.1', () => ({ making: 0 }));

/** Makes a request on behalf of a function that is patched. */
export function makePatched(make: () => ClientRequest): ClientRequest {
  patched.making += 1;
  try {
    return make();
  } finally {
    patched.making -= 1;
  }
}

/** Where a request goes. The header has the port, too; a host may have taken it away. What is no address is told as it is. */
export function targetOf(request: ClientRequest): { readonly host: string; readonly port: number } {
  const named = request.getHeader('host');
  const bare = isIPv6(request.host) ? `[${request.host}]` : request.host;
  const host = typeof named === 'string' ? named : bare;
  const address = URL.parse(`${request.protocol}//${host}`);
  const port = address?.port || (request.protocol === 'https:' ? 443 : 80);
  return { host: address?.hostname ?? host, port: Number(port) };
}

function look(request: ClientRequest): void {
  // A proxy is asked for a connection by whoever connects.
  if (patched.making > 0 || request.method === 'CONNECT') return;
  recordConnection(() => {
    const code = requestingCode(onMade);
    const { host, port } = targetOf(request);
    if (code === undefined || isTelemetryTarget(host, port)) return undefined;
    const place = `${host}:${port}`;
    if (gate.boundaryHere() !== undefined) trapLog.report('early-request', place);
    return { place, package: code.package };
  });
}

function onMade(message: unknown): void {
  guarded('looking at a request', () => look((message as { readonly request: ClientRequest }).request), undefined);
}

/**
 * Has runs lack the requests that pass by what is patched: by a `request` that code had taken out before, or a `ClientRequest` that it makes itself.
 * Returns how to stop.
 */
export function watchPassedByRequests(): () => void {
  made.subscribe(onMade);
  return () => {
    made.unsubscribe(onMade);
  };
}
