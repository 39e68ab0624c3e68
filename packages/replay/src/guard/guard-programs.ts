import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  asksForHostname,
  type Behaviour,
  membersOf,
  OwnProcesses,
  type PatchSet,
  type PlatformFunction,
  wrapFunction,
} from '@reenact/instrumentation';
import type { ReenactError } from '@reenact/trace-model';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { strangersOf, withRealNumbers } from './numbered-targets.ts';
import { commandOf, inReplay, isInShell, joinsReplay, type StartedProgram } from './replay-environment.ts';

type Programs = typeof import('node:child_process');

/** A program that is not there: starting it gives a child with all its streams that fails as one that cannot be started. */
const noProgram = join(tmpdir(), `reenact-refused-${randomUUID()}`);

/** One call that starts a program, and whom that is to end. */
function effectsOf(name: string, parameters: readonly unknown[], own: OwnProcesses): AttemptedEffect[] {
  const strangers = strangersOf(commandOf(startedBy(name, parameters)), own);
  const ended = strangers.map((target) => ({ type: 'program', name, target: `process ${target}` }) as const);
  return [programEffect(name, parameters), ...ended];
}

/** The parameters of a call that starts a program which may be started. */
function started(name: string, parameters: unknown[], judge: EffectJudge, own: OwnProcesses): unknown[] {
  return inReplay(withRealNumbers(parameters, commandOf(startedBy(name, parameters)), own), judge);
}

/** One call that starts a program, as its caller made it. */
function programEffect(name: string, parameters: readonly unknown[]): AttemptedEffect {
  const [target] = parameters;
  const started = startedBy(name, parameters);
  const [program, ...words] = commandOf(started) ?? [undefined];
  return {
    type: 'program',
    name,
    target: String(target),
    program,
    joins: joinsReplay(started),
    inShell: isInShell(started),
    words: program === undefined ? undefined : words,
  };
}

function startedBy(name: string, parameters: readonly unknown[]): StartedProgram {
  const { env, execPath, shell } = membersOf(optionsOf(parameters));
  switch (name) {
    case 'child_process.fork':
      return {
        program: execPath ?? process.execPath,
        parameters: [parameters[0], ...listOf(parameters[1])],
        env,
      };
    case 'child_process.exec':
    case 'child_process.execSync':
      return { program: parameters[0], shell: shell ?? true, env };
    default:
      return { program: parameters[0], parameters: listOf(parameters[1]), shell, env };
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withoutShell(options: unknown): object {
  return { ...(typeof options === 'object' && !Array.isArray(options) ? options : {}), shell: false };
}

function optionsOf(parameters: readonly unknown[]): unknown {
  return parameters.slice(1).find((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** Gives the refusal in place of the error that the missing program makes. */
function failing(child: ChildProcess, error: ReenactError): ChildProcess {
  const { emit } = child;
  Object.defineProperty(child, 'emit', {
    configurable: true,
    writable: true,
    value: (event: string, ...values: unknown[]) =>
      Reflect.apply(emit, child, event === 'error' ? [event, error] : [event, ...values]),
  });
  return child;
}

function guardSpawning(patches: PatchSet, judge: EffectJudge, programs: Programs, own: OwnProcesses): void {
  const { spawn, execFile, fork } = programs;
  const start =
    (name: string, refuse: (parameters: unknown[]) => ChildProcess): Behaviour =>
    ({ parameters, proceed }) => {
      if (judge.isMissing(() => programEffect(name, parameters))) return refuse(parameters);
      const refusal = judge.refusalOf(() => effectsOf(name, parameters, own));
      if (refusal !== undefined) return failing(refuse(parameters), refusal);
      return proceed(started(name, parameters, judge, own));
    };
  const refuseFile = (parameters: unknown[]): ChildProcess => {
    const callback = parameters.at(-1);
    const options = withoutShell(optionsOf(parameters));
    return typeof callback === 'function'
      ? execFile(noProgram, [], options, callback as Parameters<typeof execFile>[3])
      : execFile(noProgram, [], options);
  };
  patches.wrap(
    programs,
    'spawn',
    start('child_process.spawn', (given) => spawn(noProgram, [], withoutShell(optionsOf(given)))),
  );
  patches.wrap(
    programs,
    'fork',
    start('child_process.fork', (given) =>
      fork(noProgram, [], { ...withoutShell(optionsOf(given)), execPath: noProgram }),
    ),
  );
  for (const key of ['exec', 'execFile'] as const) {
    patches.replace<PlatformFunction>(programs, key, (original) =>
      promisable(original, wrapFunction(original, start(`child_process.${key}`, refuseFile))),
    );
  }
}

/** Node.js keeps a promise form of its own on these functions, which would go around the guard: theirs is replaced too. */
function promisable(original: PlatformFunction, guarded: PlatformFunction): PlatformFunction {
  const { prototype: _prototype, ...kept } = Object.getOwnPropertyDescriptors(original) as PropertyDescriptorMap;
  const promised = (...parameters: unknown[]): Promise<unknown> => {
    let child: unknown;
    const promise = new Promise((resolve, reject) => {
      child = guarded(...parameters, (error: object | null, stdout: unknown, stderr: unknown) => {
        if (error === null) resolve({ stdout, stderr });
        else reject(Object.assign(error, { stdout, stderr }));
      });
    });
    return Object.assign(promise, { child });
  };
  // No proxy: it would have to give the original's promise form, which is fixed there.
  const standIn = (...parameters: unknown[]): unknown => guarded(...parameters);
  return Object.defineProperties(standIn, { ...kept, [promisify.custom]: { value: promised } });
}

const hostnameNote =
  "A program by which a vendor's agent asks what the machine is called was not there for the replay: it asks the platform then.";

/** How `spawnSync` ends where there is no such program. */
function notStarted(error: Error): object {
  return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
}

function guardWaiting(patches: PatchSet, judge: EffectJudge, programs: Programs, own: OwnProcesses): void {
  for (const key of ['spawnSync', 'execSync', 'execFileSync'] as const) {
    const name = `child_process.${key}`;
    const wait: Behaviour = ({ parameters, proceed }) => {
      const isOfVendor = key === 'spawnSync' && judge.ownerCount > 0 && asksForHostname(wait);
      if (isOfVendor && judge.lacks(hostnameNote)) {
        const message = `spawnSync ${String(parameters[0])} ENOENT`;
        return notStarted(Object.assign(new Error(message), { code: 'ENOENT', syscall: 'spawnSync' }));
      }
      const refusal = judge.refusalOf(() => effectsOf(name, parameters, own));
      if (refusal === undefined) return proceed(started(name, parameters, judge, own));
      if (key !== 'spawnSync') throw refusal;
      return notStarted(refusal);
    };
    patches.wrap(programs, key, wait);
  }
}

/** Refuses by throwing, as these do where they cannot start. */
function throwing(judge: EffectJudge, name: string, targetOf: (parameters: readonly unknown[]) => unknown): Behaviour {
  return ({ parameters, proceed }) => {
    const refusal = judge.refusalOf(() => ({ type: 'program', name, target: String(targetOf(parameters)) }));
    if (refusal !== undefined) throw refusal;
    return proceed();
  };
}

/** A worker of a cluster, as `cluster.fork` starts it. */
function workerEffect(settings: unknown, env: unknown): AttemptedEffect {
  const { exec, args } = membersOf(settings);
  const script = typeof exec === 'string' ? exec : (process.argv[1] ?? '');
  const words = [script, ...(Array.isArray(args) ? listOf(args) : process.argv.slice(2))];
  const environment = { ...process.env, ...(typeof env === 'object' ? env : {}) };
  const worker = programEffect('child_process.fork', [script, words.slice(1), { env: environment }]);
  return { ...worker, type: 'program', name: 'cluster.fork', target: script, program: undefined };
}

function guardCluster(patches: PatchSet, judge: EffectJudge): void {
  const cluster = process.getBuiltinModule('node:cluster') as unknown as { default?: object };
  const settings = (): unknown => membersOf(cluster.default ?? cluster).settings;
  patches.wrap(cluster.default ?? cluster, 'fork', (call) => {
    const refusal = judge.refusalOf(() => workerEffect(settings(), call.parameters[0]));
    if (refusal === undefined) return call.proceed();
    judge.note('The agent uses cluster: what other processes of it do is not part of this replay.');
    throw refusal;
  });
}

/** Guards what starts other programs and processes. Returns how to stop listening for those that this one starts. */
export function guardPrograms(patches: PatchSet, judge: EffectJudge): () => void {
  const programs = process.getBuiltinModule('node:child_process');
  const own = new OwnProcesses();
  guardSpawning(patches, judge, programs, own);
  guardWaiting(patches, judge, programs, own);
  guardCluster(patches, judge);
  patches.wrap(
    process,
    'execve',
    throwing(judge, 'process.execve', ([program]) => program),
  );
  return own.watch();
}
