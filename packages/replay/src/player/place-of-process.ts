import { readlinkSync } from 'node:fs';

const zoneFolder = '/zoneinfo/';
/** What systems call it, and what `Intl` makes of that. */
const universal: ReadonlySet<string> = new Set(['Etc/UTC', 'Etc/UCT', 'Etc/Zulu', 'UCT', 'Zulu']);

function nameBySystem(): string | undefined {
  const { TZ } = process.env;
  if (TZ !== undefined) return TZ;
  try {
    const target = readlinkSync('/etc/localtime');
    const at = target.indexOf(zoneFolder);
    return at === -1 ? undefined : target.slice(at + zoneFolder.length);
  } catch {
    return undefined;
  }
}

/**
 * The time zone of this process, as `Intl` names it. `expected` is given back where the system itself says that it is that one: for
 * `Intl` the platform loads tables of all languages, ten milliseconds and more of a short replay.
 */
export function timeZoneOfProcess(expected: string): string {
  const name = nameBySystem();
  const isExpected = name === expected || (expected === 'UTC' && name !== undefined && universal.has(name));
  return isExpected ? expected : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The locale of this process, as `Intl` names it; `expected` likewise, here where the smallest of its services says so. */
export function localeOfProcess(expected: string): string {
  const { locale } = new Intl.PluralRules().resolvedOptions();
  return locale === expected ? expected : Intl.DateTimeFormat().resolvedOptions().locale;
}
