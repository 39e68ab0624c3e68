import { ofReadTenant } from './collector-access.ts';

const RECORD_A_RUN =
  'Record one with: OTEL_EXPORTER_OTLP_ENDPOINT=<this collector> node --import reenact/register app.mjs';

const READ_OTHERS =
  "Another tenant's runs are read with its token (--token, REENACT_TOKEN), or with --of-tenant where this one may.";

/** What to do where a collector has no run yet of those that this command may see. */
export function recordARun(): string {
  return ofReadTenant() === '' ? RECORD_A_RUN : `${READ_OTHERS} ${RECORD_A_RUN}`;
}
