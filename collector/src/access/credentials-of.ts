import type { IncomingHttpHeaders } from 'node:http';
import type { Metadata } from '@grpc/grpc-js';
import type { Credentials } from './authorizer.ts';
import { TENANT_HEADER } from './scopes.ts';

/** What the headers of an HTTP request say about its sender. */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const tenant = headers[TENANT_HEADER];
  return { authorization: headers.authorization, tenant: Array.isArray(tenant) ? tenant.join(',') : tenant };
}

/** What the metadata of a gRPC call says about its sender. */
export function credentialsIn(metadata: Metadata): Credentials {
  return { authorization: textIn(metadata, 'authorization'), tenant: textIn(metadata, TENANT_HEADER) };
}

function textIn(metadata: Metadata, key: string): string | undefined {
  const values = metadata.get(key);
  return values.length === 0 ? undefined : values.join(',');
}
