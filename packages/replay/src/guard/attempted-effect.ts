import type { FileEffect } from '@reenact/instrumentation';

/** One attempt to do something outside the process, as the code called it. */
export type AttemptedEffect =
  | FileEffect
  | {
      /** Reaches out to a host; without a port where only its name is looked up. */
      readonly type: 'host';
      readonly name: string;
      readonly host: string;
      readonly port: number | undefined;
    }
  | {
      /** Connects to a Unix socket or named pipe. */
      readonly type: 'pipe';
      readonly name: string;
      readonly path: string;
    }
  | {
      /** Starts code that the guard does not see: a program, a thread, a native library. */
      readonly type: 'program';
      readonly name: string;
      readonly target: string;
      /** The one program that is started; undefined where that is a thread, a library or more than one command of a shell. */
      readonly program?: string | undefined;
      /** It is Node.js, and loads the register hook before any code of the user: it takes part in the replay. */
      readonly joins?: boolean;
      /** A shell starts it, and may do more than that. */
      readonly inShell?: boolean;
      /** What stands behind the program; undefined where it is not known to be all. */
      readonly words?: readonly string[] | undefined;
    };

/** A host with its port, as `--allow-host` takes it. IPv6 addresses stand in brackets. */
export function hostText(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

/** What an effect is aimed at, for people: a path, a host and port, a program. */
export function effectTarget(effect: AttemptedEffect): string {
  switch (effect.type) {
    case 'file':
    case 'program':
      return effect.target;
    case 'host':
      return hostText(effect.host, effect.port);
    case 'pipe':
      return effect.path;
  }
}

/** The flag that would allow an effect; undefined where none does. */
export function allowanceOf(effect: AttemptedEffect): string | undefined {
  switch (effect.type) {
    case 'file':
      return effect.paths.includes(undefined)
        ? undefined
        : effect.paths.map((path) => `--allow-path ${path}`).join(' ');
    case 'pipe':
      return `--allow-path ${effect.path}`;
    case 'host':
      return `--allow-host ${hostText(effect.host, effect.port)}`;
    case 'program':
      return effect.program === undefined ? undefined : `--allow-program ${effect.program}`;
  }
}

/** Somebody who only wants the error gone must not have a replayed worker take the jobs of the real queue, nor an agent's program ask its model. */
function realAdvice({ type }: AttemptedEffect): string {
  switch (type) {
    case 'host':
    case 'pipe':
      return ' All that goes over it is real then: a worker takes real jobs there, a client changes real data.';
    case 'program':
      return ' All that it does is real then: an agent in a program of its own asks its model, a tool changes real data.';
    case 'file':
      return '';
  }
}

/** A program that starts Node.js in a shell may mean to take part. */
function shellAdvice(effect: AttemptedEffect): string {
  if (effect.type !== 'program' || effect.inShell !== true) return '';
  const noFlag =
    effect.program === undefined
      ? ' No flag lets it happen: a shell can do anything in a line that is more than one program and plain words. Start the program without a shell (execFile, spawn), and --allow-program names it.'
      : '';
  if (!/\bnode\b/.test(effect.target)) return noFlag;
  return effect.joins === true
    ? ' Recorded as part of the run, such a child takes part in its replay: load the hook in it (NODE_OPTIONS) when you record.'
    : `${noFlag} A shell line takes part in a replay only where it is \`node\` and plain words, without variables, pipes or several commands: start it as spawn('node', [...]).`;
}

/** A server may be started by a program that only starts others: its workers, or the one that it watches. A test runner is another. */
function serviceAdvice({ type, name, ...effect }: AttemptedEffect, isJest: boolean): string {
  if ('target' in effect && /[/\\]jest-worker[/\\]/.test(effect.target) && isJest)
    return ' Jest ran test files in several processes, of which any gets any file: replay it with --runInBand and the files that its process ran.';
  return type === 'program' && /^(?:cluster|child_process)\.fork$/.test(name)
    ? ' Where such processes serve the requests (cluster, a development server), give as command what serves them itself, or let the replay into the running service: --url.'
    : '';
}

/** Shells, runtimes, and what runs the scripts and programs of a project. */
const STARTERS: ReadonlySet<string> = new Set(
  'sh ash bash csh dash fish ksh tcsh zsh cmd powershell pwsh env node nodejs bun bunx deno tsx ts-node npm npx pnpm pnpx yarn yarnpkg corepack'.split(
    ' ',
  ),
);

/** Whether a program starts others, so that nobody can tell what would happen for real. */
function mayStartAnything(effect: AttemptedEffect): boolean {
  if (effect.type !== 'program') return false;
  const name = (effect.program ?? '').replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd|bat|ps1|[cm]?js)$/i, '');
  return effect.inShell === true || STARTERS.has(name.toLowerCase());
}

/** A database that has a ready wrapper is recorded call by call once its client is wrapped. */
function wrapperAdvice(effect: AttemptedEffect): string {
  return effect.type === 'file' && effect.isDatabase === true && effect.name.startsWith('sqlite.DatabaseSync')
    ? ' Where that is done again and again, wrap its client where it is made instead: new (sqliteClient(DatabaseSync))(…), with sqliteClient of reenact.'
    : '';
}

/** What is said of a refused effect. */
export interface RefusalWording {
  readonly message: string;
  readonly next: string;
  /** The part of `next` that names the flag which lets it happen; empty where none does. */
  readonly allow: string;
}

/**
 * What the report and the error say of a refused effect, and what to do next. `instead`: what makes the effect needless, which goes before
 * everything else; a shell that would start the run is none to let happen. `isJest`: whether Jest is what starts it; others use its pool, too.
 */
export function refusalWording(
  effect: AttemptedEffect,
  instead = '',
  isJest = /[/\\](?:jest|jest\.js)$/.test(process.argv[1] ?? ''),
): RefusalWording {
  const allowance = allowanceOf(effect);
  const allow =
    allowance === undefined || (instead !== '' && mayStartAnything(effect))
      ? ''
      : ` To let it happen: ${allowance}.${realAdvice(effect)}`;
  const why =
    effect.type === 'file' && effect.readsAppended === true
      ? 'this replay has appended to it, which went to another file, so what is read would not be what was written'
      : 'no boundary covers it, so a replay must not do it';
  return {
    allow,
    message: `${effect.name} ${effectTarget(effect)} was refused: ${why}.`,
    next: `${instead === '' ? 'Put' : `${instead} Where it is a part of the run, put`} a boundary such as tool() around the code and record again: a replay then answers it, or does it where --live names it.${wrapperAdvice(effect)}${allow}${shellAdvice(effect)}${serviceAdvice(effect, isJest)}`,
  };
}
