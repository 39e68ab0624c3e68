import { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { context as contexts } from '@opentelemetry/api';
import { AGENT_PACKAGES } from '@reenact/trace-model';
import { foreignTarget, OwnProcesses, priorityTarget } from '../host/own-processes.ts';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { asksForHostname, connectingCode } from './unseen/connecting-code.ts';
import { recordConnection } from './unseen/record-connection.ts';
import { reportModelCall } from './unseen/report-model-call.ts';
import { PROGRAM_PLACE, startedByLine, startedProgram } from './unseen/started-program.ts';

type Start = (this: unknown, ...parameters: unknown[]) => unknown;
type ProgramOf = (parameters: readonly unknown[]) => string | undefined;

const agentPackages: ReadonlySet<string> = new Set(AGENT_PACKAGES);

/** The package whose agent a call of `start` starts. */
function startedAgent(start: Start): string | undefined {
  const code = connectingCode(start as () => unknown);
  return code.type === 'code' && agentPackages.has(code.package ?? '') ? code.package : undefined;
}

/** A compiler of modules, which a replay lets start. */
const compiler = 'esbuild';

function watch(patches: PatchSet, owner: object, key: string, programOf: ProgramOf): void {
  patches.replace<Start>(owner, key, (original) => {
    const start: Start = function (this: unknown, ...parameters) {
      reportModelCall(() => startedAgent(start));
      recordConnection((isKnown) => {
        const program = programOf(parameters);
        const place = `${PROGRAM_PLACE}${program}`;
        if (program === undefined || program === compiler || isKnown(place) || asksForHostname(start)) return undefined;
        const code = connectingCode(start);
        return code.type === 'code' ? { place, package: code.package } : undefined;
      });
      const result: unknown = Reflect.apply(original, this, parameters);
      if (this instanceof ChildProcess) guarded('watching messages', () => watchMessages(this), undefined);
      return result;
    };
    return disguised(start, original);
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a process runs, past flags of Node.js and the modules that they load. */
function scriptOf({ spawnargs: words, spawnfile }: ChildProcess): string {
  const isScript = (word: string, index: number): boolean =>
    index > 0 &&
    !word.startsWith('-') &&
    !/^(?:-r|-C|--(?:require|import|conditions|(?:experimental-)?loader))$/.test(words[index - 1] ?? '');
  return words.find(isScript) ?? spawnfile;
}

/** Has each call that gives a member something told to `called`, with the function that stands for it, before it is made. */
function watchCalls(owner: object, key: string, called: (callee: () => unknown) => void): void {
  const original: unknown = Reflect.get(owner, key);
  if (typeof original !== 'function') return;
  const calling = function (this: unknown, ...parameters: unknown[]): unknown {
    if (parameters.length > 0) called(calling as () => unknown);
    return Reflect.apply(original, this, parameters);
  };
  const value = disguised(calling, original);
  const enumerable = Object.getOwnPropertyDescriptor(owner, key)?.enumerable === true;
  Object.defineProperty(owner, key, { value, enumerable, configurable: true, writable: true });
}

/**
 * Notes that an agent asks a process which somebody else started, by messages or over its standard input: what that does is part of no run of
 * the agent, and a replay refuses to start it, or starts it where nothing answers.
 */
function watchMessages(child: ChildProcess): void {
  const starter = scopeOf(contexts.active())?.run;
  const asked = (callee: () => unknown): void =>
    recordConnection((isKnown) => {
      const run = scopeOf(contexts.active())?.run;
      const place = `messages to ${basename(scriptOf(child))}`;
      if (run === undefined || run === starter || isKnown(place)) return undefined;
      const code = connectingCode(callee);
      return code.type === 'code' ? { place, package: code.package } : undefined;
    });
  watchCalls(child, 'send', asked);
  if (child.stdin === null || child.stdin === undefined) return;
  watchCalls(child.stdin, 'write', asked);
  watchCalls(child.stdin, 'end', asked);
}

/** What Node.js has made of a call by then: a shell is the program, and its line the last of the arguments. */
const started: ProgramOf = ([options]) => {
  if (typeof options !== 'object' || options === null) return undefined;
  return startedProgram(Reflect.get(options, 'file'), listOf(Reflect.get(options, 'args')).slice(1));
};

const waitedFor: ProgramOf = ([file, ...others]) => {
  const options = others.find((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  const shell: unknown = options === undefined ? undefined : Reflect.get(options as object, 'shell');
  const parameters = listOf(others[0]);
  return shell === undefined || shell === false ? startedProgram(file, parameters) : startedByLine(String(file));
};

/** Notes that an agent reaches a process of somebody else, by a number that is another's where the run is replayed. */
function watchReaching(patches: PatchSet): () => void {
  const own = new OwnProcesses();
  const watching = (what: string, targetOf: (parameters: readonly unknown[]) => number | undefined) => {
    return (original: Start): Start => {
      const reach: Start = function (this: unknown, ...parameters) {
        recordConnection(() => {
          const target = targetOf(parameters);
          const code = target === undefined ? undefined : connectingCode(reach);
          return code?.type === 'code' ? { place: `${what} process ${target}`, package: code.package } : undefined;
        });
        return Reflect.apply(original, this, parameters);
      };
      return disguised(reach, original);
    };
  };
  const killed = watching('signal to', (parameters) => foreignTarget(parameters, own));
  patches.replace<Start>(process, 'kill', killed);
  const changed = watching('priority of', (parameters) => foreignTarget(priorityTarget(parameters), own));
  patches.replace<Start>(process.getBuiltinModule('node:os'), 'setPriority', changed);
  return own.watch();
}

/**
 * Notes what programs agents start: what one says is not recorded, and the guard of a replay refuses to start it. Node.js is noted as well:
 * whether it took part is known to the recording alone. Gives how to stop listening for programs.
 */
export function watchPrograms(patches: PatchSet): () => void {
  const programs = process.getBuiltinModule('node:child_process');
  // `spawn`, `exec`, `execFile` and `fork` end here.
  watch(patches, programs.ChildProcess.prototype, 'spawn', started);
  watch(patches, programs, 'spawnSync', waitedFor);
  watch(patches, programs, 'execFileSync', waitedFor);
  watch(patches, programs, 'execSync', ([line]) => startedByLine(String(line)));
  const stopListening = watchReaching(patches);
  patches.publish();
  return stopListening;
}
