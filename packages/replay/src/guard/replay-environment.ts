import { REPLAY_DIRECTORY_VARIABLE } from '../process/replay-directory.ts';
import type { EffectJudge } from './effect-judge.ts';

const inherited = [REPLAY_DIRECTORY_VARIABLE, 'NODE_OPTIONS', 'BAGGAGE', 'TRACEPARENT'];

function withReplay(environment: object): object {
  const missing = inherited.filter((name) => !Object.hasOwn(environment, name) && process.env[name] !== undefined);
  return { ...environment, ...Object.fromEntries(missing.map((name) => [name, process.env[name]])) };
}

/**
 * The parameters of a call that starts a program or thread: where they bring an environment of their own, what makes the child
 * join the replay is added, so that it does not run outside of it.
 */
export function inReplay(parameters: unknown[], judge: EffectJudge): unknown[] {
  if (judge.ownerCount === 0 || process.env[REPLAY_DIRECTORY_VARIABLE] === undefined) return parameters;
  return parameters.map((value, index) => {
    if (index === 0 || typeof value !== 'object' || value === null || Array.isArray(value) || !('env' in value)) {
      return value;
    }
    const { env } = value;
    return typeof env === 'object' && env !== null ? { ...value, env: withReplay(env) } : value;
  });
}
