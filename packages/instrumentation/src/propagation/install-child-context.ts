import { guarded } from '../host/report-failure.ts';
import { type Behaviour, PatchSet } from '../patching/patch-set.ts';
import { childVariables } from './child-context.ts';

interface LaunchOptions {
  readonly env?: NodeJS.ProcessEnv | null;
}

function pairValue(pairs: readonly unknown[], name: string): string | undefined {
  const pair = pairs.find((item) => typeof item === 'string' && item.startsWith(`${name}=`));
  return typeof pair === 'string' ? pair.slice(name.length + 1) : undefined;
}

/** The environment of an asynchronous start, `NAME=value` each, as Node.js has made it out of what the caller gave. */
function withPairs(pairs: readonly unknown[], command: readonly unknown[]): unknown[] {
  const variables = childVariables((name) => pairValue(pairs, name), command);
  const isReplaced = (pair: unknown): boolean =>
    typeof pair === 'string' && variables.some(([name]) => pair.startsWith(`${name}=`));
  return [...pairs.filter((pair) => !isReplaced(pair)), ...variables.map(([name, value]) => `${name}=${value}`)];
}

/** The program and its arguments, as Node.js has made them out of what the caller gave. */
function commandOf(options: object): unknown[] {
  const [file, args]: unknown[] = [Reflect.get(options, 'file'), Reflect.get(options, 'args')];
  // The first is the name under which the program runs.
  return [file, ...(Array.isArray(args) ? args.slice(1) : [])];
}

/** Every asynchronous start ends here: `spawn`, `exec`, `execFile`, `fork`, and `cluster.fork`. */
const starting: Behaviour = ({ parameters, proceed }) => {
  const [options, ...others] = parameters;
  const changed = guarded(
    'starting a child process',
    () => {
      if (typeof options !== 'object' || options === null || !('envPairs' in options)) return options;
      if (!Array.isArray(options.envPairs)) return options;
      return { ...options, envPairs: withPairs(options.envPairs, commandOf(options)) };
    },
    options,
  );
  return proceed([changed, ...others]);
};

function isOptions(value: unknown): value is LaunchOptions {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the options stand, or would: `(file, arguments?, options?)`, or `(command, options?)`. */
function optionsPlace(parameters: readonly unknown[], takesArguments: boolean): number {
  const found = parameters.findIndex((value, index) => index > 0 && isOptions(value));
  if (found > 0) return found;
  return takesArguments && parameters.length > 1 ? 2 : 1;
}

function withEnvironment(parameters: readonly unknown[], takesArguments: boolean): unknown[] {
  const place = optionsPlace(parameters, takesArguments);
  const given = parameters[place];
  const options: LaunchOptions = isOptions(given) ? given : {};
  const environment = options.env ?? process.env;
  const variables = childVariables((name) => environment[name], parameters.slice(0, place).flat());
  if (variables.length === 0) return [...parameters];
  const changed = [...parameters];
  changed[place] = { ...options, env: { ...environment, ...Object.fromEntries(variables) } };
  return changed;
}

function waiting(takesArguments: boolean): Behaviour {
  return ({ parameters, proceed }) =>
    proceed(guarded('starting a program', () => withEnvironment(parameters, takesArguments), parameters));
}

/**
 * From now on child processes are told where in which trace, and in which replay, they were started: see `childVariables`. The
 * environment of this process is not changed. Gives how to stop.
 */
export function installChildContext(): () => void {
  const programs = process.getBuiltinModule('node:child_process');
  const patches = new PatchSet();
  patches.wrap(programs.ChildProcess.prototype, 'spawn', starting);
  patches.wrap(programs, 'spawnSync', waiting(true));
  patches.wrap(programs, 'execFileSync', waiting(true));
  patches.wrap(programs, 'execSync', waiting(false));
  patches.publish();
  return () => patches.restore();
}
