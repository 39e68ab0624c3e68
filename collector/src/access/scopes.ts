/** What a token may be used for; `admin` includes the others. */
export const SCOPES = ['ingest', 'read', 'replay', 'admin'] as const;

/** One of the things a token may be used for. */
export type Scope = (typeof SCOPES)[number];

/** The tenant of everything where no token names another. */
export const DEFAULT_TENANT = 'default';

/** The header by which a token that may write for several tenants names one. */
export const TENANT_HEADER = 'x-scope-orgid';
