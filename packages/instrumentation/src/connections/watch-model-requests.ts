import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { urlPlace } from '@reenact/trace-model';
import { gate } from '../admission/current-gate.ts';
import { isModelAddress } from '../traps/model-address.ts';
import { httpCoverage } from '../wire/http-coverage.ts';
import { recordConnection } from './unseen/record-connection.ts';
import { reportModelCall } from './unseen/report-model-call.ts';

/** What `fetch` and undici tell of a request before it is sent. */
const UNDICI_CHANNEL = 'undici:request:create';

/** The same of `node:http` and `node:https`. */
const HTTP_CHANNEL = 'http.client.request.created';

interface UndiciMessage {
  readonly request: { readonly origin?: unknown; readonly path: string };
}

interface HttpMessage {
  readonly request: Pick<ClientRequest, 'protocol' | 'host' | 'path' | 'getHeader'>;
}

/** Has the run that goes on here lack the call: a replay refuses it, so that the run must not look whole. */
function keepUnseen(url: URL): void {
  if (gate.boundaryHere() === undefined) return;
  const place = `${url.hostname}:${urlPlace(url).port}`;
  recordConnection(() => ({ place, package: undefined }));
}

function look(address: () => string): void {
  reportModelCall(() => {
    const found = address();
    if (!isModelAddress(found)) return undefined;
    const url = new URL(found);
    keepUnseen(url);
    return url.origin;
  });
}

const onUndici = (message: unknown): void =>
  look(() => {
    const { origin, path } = (message as UndiciMessage).request;
    return new URL(path, String(origin)).href;
  });

const onHttp = (message: unknown): void =>
  look(() => {
    const { request } = message as HttpMessage;
    // The header has the port, too; a host may have taken it away.
    const host = request.getHeader('host') ?? request.host;
    return new URL(request.path, `${request.protocol}//${host}`).href;
  });

/**
 * Reports requests to models that no crossing keeps: the library was loaded before its patch, or is one that nothing covers, and no
 * instrumentation sees the HTTP below it. Returns how to stop. Never throws.
 */
export function watchModelRequests(): () => void {
  return httpCoverage.whileUncovered(() => {
    subscribe(UNDICI_CHANNEL, onUndici);
    subscribe(HTTP_CHANNEL, onHttp);
    return () => {
      unsubscribe(UNDICI_CHANNEL, onUndici);
      unsubscribe(HTTP_CHANNEL, onHttp);
    };
  });
}
