import { closestName } from '@reenact/trace-model';

/** Every variable REENACT_… that people set, whichever part reads it; docs/environment.md is compared with it, and with the code. */
export const USER_VARIABLES = [
  'REENACT_COLLECTOR',
  'REENACT_COLLECTOR_CONFIG',
  'REENACT_CONFIG',
  'REENACT_DEBUG',
  'REENACT_DISABLED',
  'REENACT_HOST_CONTENT',
  'REENACT_OF_TENANT',
  'REENACT_PROPAGATE_TO',
  'REENACT_RECORD_DRAWS',
  'REENACT_RECORD_RANDOM_BYTES',
  'REENACT_REDACTION',
  'REENACT_REDACTION_KEY',
  'REENACT_REDACTION_KEY_FILE',
  'REENACT_REDACT_PATHS',
  'REENACT_REDACT_PATTERN',
  'REENACT_REDACT_PERSONAL',
  'REENACT_REPLAY_ALLOW',
  'REENACT_REPLAY_KEY_FILE',
  'REENACT_REPLAY_SERVICE',
  'REENACT_SPOOL',
  'REENACT_SPOOL_DIR',
  'REENACT_TELEMETRY_HOSTS',
  'REENACT_TOKEN',
] as const;

/** Those that Reenact sets for processes that it starts. */
export const OWN_VARIABLES = [
  'REENACT_CHILD_OCCURRENCE',
  'REENACT_CHILD_OF_CODE',
  'REENACT_PROCESS_NUMBER',
  'REENACT_DOCTOR',
  'REENACT_OWN_PROCESS',
  'REENACT_REPLAY',
] as const;

const prefix = /^REENACT_/;
const known: ReadonlySet<string> = new Set([...USER_VARIABLES, ...OWN_VARIABLES]);
const endings: readonly string[] = USER_VARIABLES.map((name) => name.replace(prefix, ''));

/** Settings of the collector, which refuses those that it does not know. */
const ofCollector = 'REENACT_COLLECTOR_';

/**
 * Variables that are set and read by nobody, and are near one that is: each with what was meant. Others that begin so are the app's own
 * business.
 */
export function misspeltVariables(environment: NodeJS.ProcessEnv): { readonly name: string; readonly meant: string }[] {
  return Object.keys(environment)
    .filter((name) => prefix.test(name) && !known.has(name) && !name.startsWith(ofCollector))
    .toSorted()
    .flatMap((name) => {
      const ending = closestName(name.replace(prefix, ''), endings);
      return ending === undefined ? [] : [{ name, meant: `REENACT_${ending}` }];
    });
}
