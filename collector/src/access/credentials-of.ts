import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from './authorizer.ts';
import { TENANT_HEADER } from './scopes.ts';

/** What the headers of an HTTP request say about its sender. */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const tenant = headers[TENANT_HEADER];
  return { authorization: headers.authorization, tenant: Array.isArray(tenant) ? tenant.join(',') : tenant };
}
