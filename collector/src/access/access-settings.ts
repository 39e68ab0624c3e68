import { z } from 'zod';
import { filePathSchema, givenNameSchema, tenantSchema } from '../settings/setting-texts.ts';
import { DEFAULT_TENANT, SCOPES } from './scopes.ts';

/** What one token may do; the token itself is not in it. */
export const collectorTokenSchema = z.strictObject({
  /** Names the token in logs and errors. */
  name: givenNameSchema,
  /** SHA-256 of the token in hex; `reenact config token` makes both. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'give the SHA-256 of the token: 64 lower-case hex digits'),
  /** What it may be used for; `admin` includes the others. */
  scopes: z.array(z.enum(SCOPES)).min(1),
  /** Whose data it reads and writes. */
  tenant: tenantSchema.default(DEFAULT_TENANT),
  /** Tenants it may name with X-Scope-OrgID instead; `*` for any. */
  otherTenants: z.array(z.union([z.literal('*'), tenantSchema])).default([]),
});

/** What one token may do. */
export type CollectorToken = Readonly<z.output<typeof collectorTokenSchema>>;

/** With what the collector proves who it is, and whom its senders are signed by. */
export const tlsSchema = z.strictObject({
  /** PEM: the certificate, then those between it and its root. */
  certificateFile: filePathSchema,
  /** PEM, not encrypted. */
  keyFile: filePathSchema,
  /** PEM; senders then need a certificate signed by one of these. */
  clientCaFile: filePathSchema.optional(),
});

/** What a configuration says of who may reach the collector, and how. */
export interface AccessSettings {
  readonly host: string;
  readonly tls?: Readonly<z.output<typeof tlsSchema>> | undefined;
  readonly tokens: readonly CollectorToken[];
  readonly tokensFile?: string | undefined;
}
