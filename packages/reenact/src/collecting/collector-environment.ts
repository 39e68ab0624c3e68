import { CONFIG_KEYS } from '@reenact/collector/config';
import { doubledMember, endOfJson, type Mistakes, meantNames, ReenactError } from '@reenact/trace-model';
import { doubledKey } from './doubled-key.ts';

/** What the variables of the collector's configuration begin with; REENACT_COLLECTOR alone is where commands read from. */
const COLLECTOR_VARIABLE_PREFIX = 'REENACT_COLLECTOR_';

/** The variable that names the configuration file. */
export const CONFIG_FILE_VARIABLE = `${COLLECTOR_VARIABLE_PREFIX}CONFIG`;

/** Keys whose values are text; all others are written as JSON. */
const textKeys: ReadonlySet<string> = new Set(['dataDirectory', 'host', 'tokensFile', 'logLevel']);

/** The variable that sets a key: `httpPort` is REENACT_COLLECTOR_HTTP_PORT. */
export function collectorVariable(key: string): string {
  return `${COLLECTOR_VARIABLE_PREFIX}${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

const keyOfVariable = new Map<string, string>(CONFIG_KEYS.map((key) => [collectorVariable(key), key]));

/** What the environment says of the collector's configuration. Variables that cannot be used are gathered, each by its name. */
export function collectorEnvironment(environment: NodeJS.ProcessEnv, mistakes: Mistakes): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(COLLECTOR_VARIABLE_PREFIX) || variable === CONFIG_FILE_VARIABLE) continue;
    if (text === undefined || text === '') continue;
    const key = keyOfVariable.get(variable);
    if (key === undefined) mistakes.add(unknownVariable(variable));
    else if (textKeys.has(key)) settings[key] = text;
    else mistakes.try(() => Object.assign(settings, { [key]: readJson(variable, text) }));
  }
  return settings;
}

function readJson(variable: string, text: string): unknown {
  const value = parseValue(variable, text);
  const doubled = doubledMember(text);
  if (doubled !== undefined) throw doubledKey(variable, doubled, variable);
  return value;
}

function parseValue(variable: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ReenactError('bad-config', `The value of ${variable} is not JSON ${endOfJson(text)}.`, {
      where: variable,
      next: 'Write numbers as they are, lists and objects as JSON.',
      cause,
    });
  }
}

function unknownVariable(variable: string): ReenactError {
  const known = [CONFIG_FILE_VARIABLE, ...keyOfVariable.keys()];
  // What all begin with would make any two of them near.
  const ending = (name: string): string => name.slice(COLLECTOR_VARIABLE_PREFIX.length);
  const meant = meantNames(ending(variable), known.map(ending)).map((name) => `${COLLECTOR_VARIABLE_PREFIX}${name}`);
  const hint = meant.length === 0 ? '' : `Did you mean ${meant.join(' or ')}? `;
  return new ReenactError('bad-config', `There is no setting ${variable}.`, {
    where: variable,
    next: `${hint}Use only ${known.join(', ')}.`,
  });
}
