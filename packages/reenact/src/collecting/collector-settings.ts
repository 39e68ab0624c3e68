import { readFileSync } from 'node:fs';
import { type CollectorConfig, parseCollectorConfig } from '@reenact/collector/config';
import { doubledMember, endOfJson, errorsIn, isReenactError, Mistakes, ReenactError } from '@reenact/trace-model';
import { CONFIG_FILE_VARIABLE, collectorEnvironment, collectorVariable } from './collector-environment.ts';
import { doubledKey } from './doubled-key.ts';

/** What the flags of `reenact collect` say; a member that is undefined was not given. */
export interface CollectorFlags {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
  readonly data?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly forward: readonly ForwardTarget[];
  readonly forwardFull: readonly ForwardTarget[];
}

/** One `--forward <name>=<url>`. */
export interface ForwardTarget {
  readonly name: string;
  readonly url: string;
}

/** Throws ReenactError `bad-config` where nothing of it can be used; a key that is there twice is gathered. */
function readConfigFile(path: string, mistakes: Mistakes): Record<string, unknown> {
  const oneObject = 'Give a file with one JSON object, for example { "httpPort": 4318 }.';
  const fail = (message: string, cause: unknown, next = oneObject): never => {
    throw new ReenactError('bad-config', message, { where: path, next, cause });
  };
  let text = '';
  try {
    // Unlike readFileSync, it leaves out the mark that editors of Windows put before a text.
    text = new TextDecoder().decode(readFileSync(path));
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const isThere = code !== 'ENOENT';
    const message = isThere
      ? `The configuration file cannot be read: ${code}.`
      : 'There is no such configuration file.';
    fail(message, cause, 'Name a file that this user may read.');
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      const doubled = doubledMember(text);
      if (doubled !== undefined)
        mistakes.add(doubledKey('The configuration file', doubled, `${path}: line ${doubled.line}`));
      return parsed as Record<string, unknown>;
    }
  } catch (cause) {
    fail(`The configuration file is not JSON ${endOfJson(text)}.`, cause);
  }
  return fail('The configuration file holds no JSON object.', undefined);
}

/** The flag that says a setting. */
const flagOf: Readonly<Record<string, string>> = {
  host: '--host',
  httpPort: '--http-port',
  grpcPort: '--grpc-port',
  dataDirectory: '--data',
  logLevel: '--log-level',
  forward: '--forward',
};

/** Where a setting was said, of the places that count from the last to the first. */
interface SettingSources {
  readonly flags: Record<string, unknown>;
  readonly variables: Record<string, unknown>;
  readonly file: string | undefined;
}

/** An error may be of two settings. */
function placesOf(settings: string, sources: SettingSources): string {
  return [...new Set(settings.split(', ').map((setting) => placeOf(setting, sources)))].join(', ');
}

function placeOf(setting: string, { flags, variables, file }: SettingSources): string {
  const [key = ''] = setting.split('.');
  if (Object.hasOwn(flags, key)) return flagOf[key] ?? key;
  return Object.hasOwn(variables, key) ? collectorVariable(key) : (file ?? 'defaults');
}

function withPlace(error: ReenactError, sources: SettingSources): ReenactError {
  const { where: setting = '' } = error;
  const place = placesOf(setting, sources);
  return new ReenactError(error.code, error.message, {
    where: setting === '' ? place : `${place}: ${setting}`,
    next: error.next ?? 'See `reenact collect --help`.',
    cause: error,
  });
}

function readAt<Parsed>(sources: SettingSources, mistakes: Mistakes, parse: () => Parsed): Parsed | undefined {
  try {
    return parse();
  } catch (thrown) {
    if (!isReenactError(thrown)) throw thrown;
    mistakes.add(...errorsIn(thrown).map((error) => withPlace(error, sources)));
    return undefined;
  }
}

/** What flags say, by the keys that they set. */
function settingsOfFlags(flags: CollectorFlags): Record<string, unknown> {
  const { host, httpPort, grpcPort, data: dataDirectory, logLevel } = flags;
  const given = Object.entries({ host, httpPort, grpcPort, dataDirectory, logLevel }).filter(
    ([, value]) => value !== undefined,
  );
  const targets = [
    ...flags.forward.map((target) => ({ ...target, content: 'slim' as const })),
    ...flags.forwardFull.map((target) => ({ ...target, content: 'full' as const })),
  ];
  return { ...Object.fromEntries(given), ...(targets.length === 0 ? {} : { forward: targets }) };
}

/**
 * What `parse` makes of all that is said of the collector's configuration. Throws ReenactError `bad-config` that says all that is wrong, each with
 * the place where it was said.
 */
export function readSettings<Parsed>(
  flags: CollectorFlags,
  environment: NodeJS.ProcessEnv,
  parse: (settings: Record<string, unknown>) => Parsed,
): Parsed {
  const mistakes = new Mistakes();
  const path = flags.config ?? (environment[CONFIG_FILE_VARIABLE] || undefined);
  const file = path === undefined ? {} : mistakes.try(() => readConfigFile(path, mistakes));
  const variables = collectorEnvironment(environment, mistakes);
  const said = settingsOfFlags(flags);
  // Without the file much would seem wrong that is not, such as a host without tokens.
  const parsed =
    file && readAt({ flags: said, variables, file: path }, mistakes, () => parse({ ...file, ...variables, ...said }));
  mistakes.throwAny();
  return parsed as Parsed;
}

/**
 * The collector's configuration: defaults, then the file of --config or REENACT_COLLECTOR_CONFIG, then the variables
 * REENACT_COLLECTOR_*, then flags. Throws ReenactError `bad-config` of all that is wrong.
 */
export function collectorSettings(flags: CollectorFlags, environment: NodeJS.ProcessEnv): CollectorConfig {
  return readSettings(flags, environment, parseCollectorConfig);
}
