import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { pristine } from '@reenact/instrumentation';
import { PROCESS_POSITION_LIFE_MS } from '../limits.ts';
import { baggageWithPosition } from './position-token.ts';
import { REPLAY_DIRECTORY_VARIABLE } from './process-variables.ts';

/** What a child process needs to know of its replay. */
export interface ChildEnvironmentOptions {
  readonly replayId: string;
  /** Signs positions, base64url. */
  readonly key: string;
  readonly directory: string;
  readonly registerUrl: string;
}

/** What makes a program of Bun load the hook, which then refuses to let it run. */
export function bunOption(registerUrl: string): string {
  return `--preload=${fileURLToPath(registerUrl)}`;
}

function withFlag(existing: string | undefined, flag: string): string {
  const flags = (existing ?? '').split(/\s+/).filter((item) => item !== '');
  return flags.includes(flag) ? (existing ?? '') : [...(existing ? [existing] : []), flag].join(' ');
}

/**
 * The environment of a replay's first process; its own children inherit it. The replay runs under a new trace id, and
 * stands above the run's root. The given environment is not changed.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv, options: ChildEnvironmentOptions): NodeJS.ProcessEnv {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const { replayId, key } = options;
  const expiresUnixMs = pristine.dateNow() + PROCESS_POSITION_LIFE_MS;
  return {
    ...environment,
    [REPLAY_DIRECTORY_VARIABLE]: options.directory,
    NODE_OPTIONS: withFlag(environment.NODE_OPTIONS, `--import=${options.registerUrl}`),
    BUN_OPTIONS: withFlag(environment.BUN_OPTIONS, bunOption(options.registerUrl)),
    TRACEPARENT: `00-${traceId}-${spanId}-01`,
    BAGGAGE: baggageWithPosition(environment.BAGGAGE, key, { replayId, cursor: undefined, expiresUnixMs }),
  };
}
