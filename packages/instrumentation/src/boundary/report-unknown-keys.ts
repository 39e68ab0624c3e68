import { guarded, warnHost } from '../host/report-failure.ts';
import { UNKNOWN_IDENTITY_KEYS_MAX } from '../limits.ts';
import { IDENTITY_KEYS, type Identity } from '../run/identity.ts';

const reported = new Set<string>();

/**
 * Tells of keys that no identity has, each once, on stderr and to OpenTelemetry's diagnostics, which few programs show: what is said by
 * them is on no span, and nobody will find the run by it. Never throws.
 */
export function reportUnknownKeys(identity: Identity): void {
  guarded('looking for unknown keys of an identity', () => reportEach(Object.keys(identity)), undefined);
}

function reportEach(keys: readonly string[]): void {
  for (const key of keys) {
    if (IDENTITY_KEYS.has(key) || reported.has(key) || reported.size >= UNKNOWN_IDENTITY_KEYS_MAX) continue;
    reported.add(key);
    const words = `an identity has no "${key}", so it is ignored; there are ${[...IDENTITY_KEYS].join(', ')}.`;
    warnHost(words);
    process.stderr.write(`reenact: ${words}\n`);
  }
}
