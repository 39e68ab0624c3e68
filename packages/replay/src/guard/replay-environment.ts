import { basename } from 'node:path';
import { REPLAY_DIRECTORY_VARIABLE } from '../process-variables.ts';
import type { EffectJudge } from './effect-judge.ts';
import { isPlainShell, STANDARD_SHELL, simpleCommand, withoutSettings } from './shell-line.ts';

const inherited = [REPLAY_DIRECTORY_VARIABLE, 'NODE_OPTIONS', 'BAGGAGE', 'TRACEPARENT'];
/** Holds the flag that loads the register hook. */
const ownNodeOptions = process.env.NODE_OPTIONS;

/** Options of the child's own come after those that make it join. */
function joiningOptions(given: unknown): string | undefined {
  if (ownNodeOptions === undefined || typeof given !== 'string' || given.includes(ownNodeOptions)) return undefined;
  return `${ownNodeOptions} ${given}`.trim();
}

/** What stands there as undefined does not reach the child: a program so takes away what it has itself. */
function isGiven(environment: object, name: string): boolean {
  return Reflect.get(environment, name) !== undefined;
}

function withReplay(environment: object): object {
  const missing = inherited.filter((name) => !isGiven(environment, name) && process.env[name] !== undefined);
  const nodeOptions = joiningOptions(Reflect.get(environment, 'NODE_OPTIONS'));
  return {
    ...environment,
    ...Object.fromEntries(missing.map((name) => [name, process.env[name]])),
    ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
  };
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

/** What is started, as far as the guard looks at it. */
export interface StartedProgram {
  readonly program: unknown;
  /** What stands behind the program; in a shell, all of it is one line. */
  readonly parameters?: readonly unknown[];
  readonly shell?: unknown;
  readonly env?: unknown;
}

/** Whether a program is started in a shell, which may do more than to start it. */
export function isInShell({ shell }: StartedProgram): boolean {
  return shell !== undefined && shell !== null && shell !== false && shell !== '';
}

/** As a shell that is given a line, where a shell is the program, and is given one. */
function asShell(started: StartedProgram): StartedProgram {
  const { program, parameters = [], env } = started;
  const [flag, line, ...others] = parameters;
  const isLine = program === STANDARD_SHELL && flag === '-c' && typeof line === 'string' && others.length === 0;
  return isLine && !isInShell(started) ? { program: line, shell: program, env } : started;
}

/** The program that is started in the end, and its words; undefined where a shell line may do anything else, or it is named by no text. */
export function commandOf(given: StartedProgram): readonly [string, ...string[]] | undefined {
  const started = asShell(given);
  const { program, parameters = [], shell, env } = started;
  if (!isInShell(started)) return typeof program === 'string' ? [program, ...parameters.map(String)] : undefined;
  const environment = typeof env === 'object' && env !== null ? env : process.env;
  const words = isPlainShell(shell, environment)
    ? simpleCommand(withoutSettings([program, ...parameters].join(' ')))
    : undefined;
  const [first, ...others] = words ?? [];
  return first === undefined ? undefined : [first, ...others];
}

/**
 * Whether a program is Node.js and will load the register hook of this replay before any code of the user. In a shell: only where
 * its line does nothing else.
 */
export function joinsReplay(started: StartedProgram): boolean {
  const [program, { env }] = [commandOf(started)?.[0], started];
  if (program === undefined) return false;
  if (program !== process.execPath && !/^node(?:\.exe)?$/.test(basename(program))) return false;
  const { NODE_OPTIONS, [REPLAY_DIRECTORY_VARIABLE]: directory } = process.env;
  if (directory === undefined || ownNodeOptions === undefined) return false;
  if (!/--(?:import|require)=/.test(ownNodeOptions)) return false;
  const given = typeof env === 'object' && env !== null ? env : undefined;
  if (given === undefined) return NODE_OPTIONS?.includes(ownNodeOptions) === true;
  const named = isGiven(given, REPLAY_DIRECTORY_VARIABLE) ? Reflect.get(given, REPLAY_DIRECTORY_VARIABLE) : directory;
  const isHooked = isGiven(given, 'NODE_OPTIONS') || NODE_OPTIONS?.includes(ownNodeOptions) === true;
  return named === directory && isHooked;
}
