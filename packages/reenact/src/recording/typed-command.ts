import { isMainThread } from 'node:worker_threads';
import { guarded, isOfTestThreads, processFileOf } from '@reenact/instrumentation';

/** What PM2 starts in a program's place, which then loads the program. */
const PM2_CONTAINER = /[/\\]pm2[/\\]lib[/\\]ProcessContainer(?:Fork)?\.js$/;

/** What pools of processes start, and hand their work to. */
const POOL_PROCESS =
  /[/\\](?:jest-worker[/\\](?:build[/\\])?processChild|tinypool[/\\]dist[/\\](?:entry[/\\])?process)\.js$/;

/** Jest has its test files run in such a pool, and says so in the environment: `show` then tells how one of them is run. */
function isOfOtherPool(script: string, { NODE_ENV, JEST_WORKER_ID }: NodeJS.ProcessEnv): boolean {
  return POOL_PROCESS.test(script) && !(NODE_ENV === 'test' && JEST_WORKER_ID !== undefined);
}

interface Pm2Settings {
  readonly pm_exec_path?: unknown;
  readonly args?: unknown;
}

/** In a cluster PM2 hands its settings over as one text. */
function pm2Settings({ pm2_env: text }: NodeJS.ProcessEnv): Pm2Settings | undefined {
  if (text === undefined) return undefined;
  return guarded('reading the settings of PM2', () => JSON.parse(text) as Pm2Settings, undefined);
}

/** The script and what was typed after it, where something stands between Node.js and the program. */
function programWords(words: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  const [script = '', ...others] = words;
  if (!PM2_CONTAINER.test(script)) return words;
  const settings = pm2Settings(environment);
  const path = settings?.pm_exec_path ?? environment.pm_exec_path;
  if (typeof path !== 'string') return words;
  return [path, ...(Array.isArray(settings?.args) ? settings.args.map(String) : others)];
}

/** Flags with a value that say what of a program is loaded or tested, or what it may do, and others where that is not the default: what is left out changes nothing. */
const FLAG_OF_PROGRAM =
  /^--(?:import|require|loader|experimental-loader|conditions|env-file(?:-if-exists)?|experimental-config-file|input-type|icu-data-dir|max-(?:old|semi)-space-size|allow-[\w-]+|unhandled-rejections|dns-result-order|test-(?:name|skip)-pattern|max-http-header-size(?!=16384$)|stack-trace-limit(?!=10$))=/;

/** Stands among the flags of each file that the test runner of Node.js starts, and not of what a test starts in turn. */
const FLAG_OF_TEST_RUNNER = '--test-isolation=process';

/** The flags of Node.js that somebody may have typed: its test runner starts each file with all that its options are by default. */
function typedFlags(flags: readonly string[], { NODE_TEST_CONTEXT: context }: NodeJS.ProcessEnv): readonly string[] {
  if (context?.startsWith('child') !== true || !flags.includes(FLAG_OF_TEST_RUNNER)) return flags;
  return flags.filter((flag) => !/^--[\w-]+=/.test(flag) || FLAG_OF_PROGRAM.test(flag));
}

/**
 * The words that start this program, with what Node.js took for itself, as the conventions say: without `--import tsx` it may not start.
 * Undefined in a worker thread or a process of a pool, whose file nobody can start by itself; of Vitest's threads, those of the process that
 * does the same with `--pool=forks`.
 */
export function typedCommand(
  { argv, execArgv, env }: Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env'> = process,
  isThread = !isMainThread,
): string[] | undefined {
  const [program = process.execPath, ...words] = argv;
  if (isThread) {
    const [file = ''] = words;
    return isOfTestThreads(file) ? [program, processFileOf(file)] : undefined;
  }
  return isOfOtherPool(words[0] ?? '', env)
    ? undefined
    : [program, ...typedFlags(execArgv, env), ...programWords(words, env)];
}
