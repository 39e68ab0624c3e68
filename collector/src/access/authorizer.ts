import { createHash, timingSafeEqual } from 'node:crypto';
import { ReenactError } from '@reenact/trace-model';
import type { CollectorToken } from './access-settings.ts';
import { DEFAULT_TENANT, type Scope, TENANT_HEADER } from './scopes.ts';

/** What a request says about its sender, of any transport. */
export interface Credentials {
  /** The value of `authorization`. */
  readonly authorization: string | undefined;
  /** The value of the tenant header. */
  readonly tenant: string | undefined;
}

/** What a sender may do, and for whom. */
export interface Access {
  readonly tenant: string;
  /** Name of the token; undefined where none is needed. */
  readonly token: string | undefined;
}

/** Decides who may do what. */
export interface Authorizer {
  /** Whether everybody who reaches the collector may do everything; it then listens on loopback only. */
  readonly isOpen: boolean;
  /**
   * Lets a request pass that may use this scope; `any` takes every known token. Throws ReenactError `unauthenticated`
   * or `access-denied`.
   */
  authorize(credentials: Credentials, scope: Scope | 'any'): Access;
}

const TENANT_PATTERN = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** Whether a text can name a tenant: letters, digits, `.`, `_` and `-`, at most 128. */
function isTenantName(text: string): boolean {
  return TENANT_PATTERN.test(text);
}

/** The digest by which a token is kept in a configuration: tokens themselves are written down nowhere. */
function digestToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** An authorizer that knows these tokens; without any it lets everybody in. */
export function createAuthorizer(tokens: readonly CollectorToken[]): Authorizer {
  if (tokens.length === 0) return { isOpen: true, authorize: ({ tenant }) => openAccess(tenant) };
  const known = tokens.map((token) => ({ token, digest: Buffer.from(token.sha256, 'hex') }));
  return {
    isOpen: false,
    authorize: ({ authorization, tenant }, scope) => {
      const token = findToken(known, authorization);
      if (scope !== 'any' && !token.scopes.includes(scope) && !token.scopes.includes('admin')) {
        throw denied(
          `The token "${token.name}" may not be used for this: it lacks the scope "${scope}".`,
          'authorization',
        );
      }
      return { tenant: chooseTenant(token, tenant), token: token.name };
    },
  };
}

function openAccess(tenant: string | undefined): Access {
  if (tenant === undefined || tenant === DEFAULT_TENANT) return { tenant: DEFAULT_TENANT, token: undefined };
  throw new ReenactError('access-denied', `A collector without tokens has one tenant, and it is not "${tenant}".`, {
    where: TENANT_HEADER,
    next: 'Leave the tenant out (--of-tenant, REENACT_OF_TENANT), or give the collector tokens, each for its tenants.',
  });
}

interface KnownToken {
  readonly token: CollectorToken;
  readonly digest: Buffer;
}

/** Digests are compared, all of them and in constant time: how long it takes says nothing about a token. */
function findToken(known: readonly KnownToken[], authorization: string | undefined): CollectorToken {
  const [, presented] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
  if (presented === undefined) {
    throw unauthenticated(
      authorization === undefined ? 'This collector wants a token.' : 'The authorization is not a bearer token.',
    );
  }
  const digest = digestToken(presented);
  let found: CollectorToken | undefined;
  for (const candidate of known) if (timingSafeEqual(candidate.digest, digest)) found = candidate.token;
  if (found === undefined) throw unauthenticated('The token is not known to this collector.');
  return found;
}

function chooseTenant(token: CollectorToken, asked: string | undefined): string {
  if (asked === undefined || asked === token.tenant) return token.tenant;
  const isAllowed = token.otherTenants.includes('*') || token.otherTenants.includes(asked);
  if (isAllowed && isTenantName(asked)) return asked;
  // Of one that may name any there are no more scopes or tenants to add.
  if (isAllowed) {
    throw new ReenactError('access-denied', 'What the request names is no name of a tenant.', {
      where: TENANT_HEADER,
      next: 'Use letters, digits, ., - and _, at most 128, and a letter or digit first.',
    });
  }
  throw denied(`The token "${token.name}" may not be used for the tenant that the request names.`, TENANT_HEADER);
}

function unauthenticated(message: string): ReenactError {
  return new ReenactError('unauthenticated', message, {
    where: 'authorization',
    next: 'Send "Authorization: Bearer <token>": REENACT_TOKEN or --token for commands, OTEL_EXPORTER_OTLP_HEADERS for exporters.',
  });
}

function denied(message: string, where: string): ReenactError {
  return new ReenactError('access-denied', message, {
    where,
    next: 'Use another token, or have scopes or tenants added to this one in the configuration of the collector.',
  });
}
