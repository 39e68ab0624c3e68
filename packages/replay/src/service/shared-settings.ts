import { ReenactError } from '@reenact/trace-model';
import { REPLAY_ALLOW_VARIABLE } from '../process-variables.ts';
import { readReplayKey } from './replay-key.ts';

/** Environment variable with the address of the collector's replay service, its gRPC port. */
const REPLAY_SERVICE_VARIABLE = 'REENACT_REPLAY_SERVICE';

/** Environment variable with the token of the collector, where it wants one. */
const COLLECTOR_TOKEN_VARIABLE = 'REENACT_TOKEN';

/** Where a collector on this machine serves replays. */
const REPLAY_SERVICE_DEFAULT = 'http://127.0.0.1:4317';

/** What a driver and a shared process need to find each other. */
export interface ReplayServiceSettings {
  /** `http://127.0.0.1:4317` */
  readonly address: string;
  /** Shared by driver and services. */
  readonly key: string;
  /** For the collector, where it wants one: with the scope `replay`. */
  readonly token?: string;
}

/** Where replays are relayed, and by which key. Throws ReenactError `bad-config`. */
export function replayServiceSettings(environment: NodeJS.ProcessEnv): ReplayServiceSettings {
  const token = environment[COLLECTOR_TOKEN_VARIABLE];
  return {
    address: environment[REPLAY_SERVICE_VARIABLE] || REPLAY_SERVICE_DEFAULT,
    key: readReplayKey(environment),
    ...(token === undefined || token === '' ? {} : { token }),
  };
}

/**
 * The settings of a process that was started with shared replay allowed; undefined where it was not, and then no position is ever
 * honoured. Throws ReenactError `bad-config`.
 */
export function sharedReplaySettings(environment: NodeJS.ProcessEnv): ReplayServiceSettings | undefined {
  const allowed = environment[REPLAY_ALLOW_VARIABLE];
  if (allowed === undefined || allowed === '') return undefined;
  if (allowed === 'shared') return replayServiceSettings(environment);
  throw new ReenactError('bad-config', `${REPLAY_ALLOW_VARIABLE} is "${allowed}", and only "shared" is known.`, {
    where: REPLAY_ALLOW_VARIABLE,
    next: 'Set it to shared, or unset it: without it this process takes part in no replay.',
  });
}
