import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { pristine, TELEMETRY_HOSTS_VARIABLE } from '@reenact/instrumentation';
import { PROCESS_POSITION_LIFE_MS } from '../limits.ts';
import { REPLAY_DIRECTORY_VARIABLE } from '../process-variables.ts';
import { baggageWithPosition } from '../propagation/position-token.ts';

/** What a child process needs to know of its replay. */
export interface ChildEnvironmentOptions {
  readonly replayId: string;
  /** Signs positions, base64url. */
  readonly key: string;
  readonly directory: string;
  readonly registerUrl: string;
  /** What is started; its words tell how it loads the hook by itself. Default: nothing is known of it. */
  readonly command?: readonly string[] | undefined;
  /** The hosts to which the process sends telemetry only. Default: those of the given environment. */
  readonly telemetryHosts?: readonly string[] | undefined;
}

/** What makes a program of Bun load the hook, which then refuses to let it run. */
export function bunOption(registerUrl: string): string {
  return `--preload=${fileURLToPath(registerUrl)}`;
}

const requiresHook =
  /(?:^|\s)(?:-r|--require)(?:=|\s+)["']?(?:\S*[/\\])?reenact[/\\](?:dist[/\\])?register(?:\.js)?["']?(?=\s|$)/;

/**
 * What makes Node.js load the hook: by `--import`, or by `--require` where the user does so. Any `--import` has Node.js load the program
 * as it loads ES modules, past what compiles TypeScript by a hook of `require`.
 */
export function hookFlag(
  { NODE_OPTIONS }: NodeJS.ProcessEnv,
  { registerUrl, command = [] }: Pick<ChildEnvironmentOptions, 'registerUrl' | 'command'>,
): string {
  if (![NODE_OPTIONS ?? '', command.join(' ')].some((words) => requiresHook.test(words)))
    return `--import=${registerUrl}`;
  return `--require="${fileURLToPath(registerUrl).replace(/[\\"]/g, '\\$&')}"`;
}

/** Whether the value of NODE_OPTIONS loads the hook, in one of both ways. */
export function loadsHook(nodeOptions: string, registerUrl: string): boolean {
  return nodeOptions.includes(registerUrl) || nodeOptions.includes(fileURLToPath(registerUrl));
}

/** The flag comes first: a compiler such as `tsx` that is loaded before it makes a second copy of what it loads. */
function withFlag(existing: string | undefined, flag: string): string {
  const flags = (existing ?? '').split(/\s+/).filter((item) => item !== '');
  return flags.includes(flag) ? (existing ?? '') : [flag, ...(existing ? [existing] : [])].join(' ');
}

/**
 * The environment of a replay's first process; its own children inherit it. The replay runs under a new trace id, and
 * stands above the run's root. The given environment is not changed.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv, options: ChildEnvironmentOptions): NodeJS.ProcessEnv {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const { replayId, key } = options;
  const telemetryHosts = options.telemetryHosts?.join(',') ?? environment[TELEMETRY_HOSTS_VARIABLE];
  const expiresUnixMs = pristine.dateNow() + PROCESS_POSITION_LIFE_MS;
  return {
    ...environment,
    ...(telemetryHosts === undefined ? {} : { [TELEMETRY_HOSTS_VARIABLE]: telemetryHosts }),
    [REPLAY_DIRECTORY_VARIABLE]: options.directory,
    NODE_OPTIONS: withFlag(environment.NODE_OPTIONS, hookFlag(environment, options)),
    BUN_OPTIONS: withFlag(environment.BUN_OPTIONS, bunOption(options.registerUrl)),
    TRACEPARENT: `00-${traceId}-${spanId}-01`,
    BAGGAGE: baggageWithPosition(environment.BAGGAGE, key, { replayId, cursor: undefined, expiresUnixMs }),
  };
}
