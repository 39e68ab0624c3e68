import { optionsOfEnvironment } from '../redaction/redactor/redaction-options.ts';
import { trapLog } from './trap-log.ts';

/** What variables with a closed list of values take; an empty one is as one that is not set. */
const accepted: Readonly<Record<string, { readonly values: RegExp; readonly named: string }>> = {
  REENACT_DISABLED: { values: /^\s*(?:[01]|true|false)\s*$/i, named: '1, to record nothing, or 0' },
  REENACT_HOST_CONTENT: { values: /^(?:none|truncated|full)$/, named: 'none, truncated or full' },
  REENACT_RECORD_DRAWS: { values: /^[01]$/, named: '0, to record no draws, or 1' },
  REENACT_RECORD_RANDOM_BYTES: { values: /^[01]$/, named: '1, to record random bytes, or 0' },
  REENACT_REDACTION: { values: /^(?:on|off)$/, named: 'off, to have no default rules, or on' },
  REENACT_SPOOL: { values: /^(?:on|off|0|1|true|false|yes|no)$/i, named: 'off, to keep nothing on the disk, or on' },
};

/** An address is no host: nothing is ever sent to one that has its scheme, a path or blanks. */
const noHost = /[/\s]|^[a-z]+:$/i;

function hostsAmiss(text: string): string | undefined {
  const amiss = text
    .split(',')
    .map((host) => host.trim())
    .find((host) => noHost.test(host));
  // Who gives a whole address may give a password with it.
  return amiss === undefined
    ? undefined
    : `${amiss.replace(/\/\/[^/]*@/, '//…@')}: write hosts as agent.internal, *.svc:8080`;
}

function rulesAmiss(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    optionsOfEnvironment(environment);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Reports variables of Reenact whose value is none that they take: nobody else would say that what they ask for is not in force. */
export function reportUnusableValues(environment: NodeJS.ProcessEnv): void {
  for (const [name, { values, named }] of Object.entries(accepted)) {
    const value = environment[name] ?? '';
    if (value !== '' && !values.test(value)) trapLog.report('variable-value', `${name}=${value}: give ${named}`);
  }
  for (const name of ['REENACT_PROPAGATE_TO', 'REENACT_TELEMETRY_HOSTS']) {
    const host = hostsAmiss(environment[name] ?? '');
    if (host !== undefined) trapLog.report('variable-value', `${name}=${host}`);
  }
  const rules = rulesAmiss(environment);
  if (rules !== undefined) trapLog.report('variable-value', rules);
}
