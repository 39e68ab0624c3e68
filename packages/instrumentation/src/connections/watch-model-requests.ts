import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { gate } from '../admission/current-gate.ts';
import { guarded } from '../host/report-failure.ts';
import { isModelAddress } from '../traps/model-address.ts';
import { trapLog } from '../traps/trap-log.ts';
import { httpCoverage } from '../wire/http-coverage.ts';

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

/** Whatever kind of crossing it is but an agent, it keeps what its code came to, and is answered as a whole in a replay. */
function isRecordedHere(): boolean {
  if (gate.wireMode() !== 'record') return true;
  const around = gate.boundaryHere();
  return around !== undefined && around.kind !== 'agent';
}

function look(address: () => string): void {
  guarded(
    'looking for unrecorded model calls',
    () => {
      if (isRecordedHere()) return;
      const found = address();
      if (isModelAddress(found)) trapLog.report('unrecorded-model-call', new URL(found).origin);
    },
    undefined,
  );
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
