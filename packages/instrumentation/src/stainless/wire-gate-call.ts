import { ATTR_HTTP_REQUEST_METHOD, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT, ATTR_URL_FULL } from '@reenact/semconv/core';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import type { ServerAddress } from './server-address.ts';
import type { RequestOptions } from './stainless-client.ts';
import type { CallSettings } from './stainless-library.ts';

function urlWithoutQuery(server: ServerAddress | undefined): string | undefined {
  return server === undefined ? undefined : `${server.url.origin}${server.url.pathname}`;
}

/** A call of the client that is no model call (files, models, batches …): an HTTP crossing with its exact exchange. */
export function wireGateCall(
  server: ServerAddress | undefined,
  options: RequestOptions,
  settings: CallSettings,
): GateCall {
  const { path, query, body } = options;
  const method = options.method.toUpperCase();
  const name = `${method} ${server?.url.host ?? 'unknown'}`;
  const { capture, sdk } = settings;
  return {
    boundary: {
      kind: 'http',
      name,
      effect: method === 'GET' || method === 'HEAD' ? 'read' : 'write',
      capture,
      policy: CANONICAL_POLICIES.arguments,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: {
      method,
      path,
      ...(query === undefined || query === null ? {} : { query }),
      ...(body === undefined || body === null ? {} : { body }),
    },
    span: {
      name,
      kind: 'client',
      slim: definedAttributes({
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_FULL]: urlWithoutQuery(server),
        [ATTR_SERVER_ADDRESS]: server?.address,
        [ATTR_SERVER_PORT]: server?.port,
      }),
    },
  };
}
