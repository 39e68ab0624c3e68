import type { Context } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';
import { pristine } from '../host/pristine.ts';
import { ancestorNames } from '../host/process-names.ts';
import { scopeOf } from '../run/crossing-scope.ts';

/** Tells a child process which of its likes it is: see `childOccurrence`. */
export const CHILD_OCCURRENCE_VARIABLE = 'REENACT_CHILD_OCCURRENCE';

/** Tells a child process that code which runs again in a replay has started it, and the name of the process of that code: see `isOfCodeThatRunsAgain`. */
export const CHILD_OF_CODE_VARIABLE = 'REENACT_CHILD_OF_CODE';

/** Starts by what is typed behind the program, for every crossing that is open. */
const counts = new WeakMap<object, Map<string, number>>();

/** What is typed behind the program: the same for a program that is started directly, by its path, or by a shell. */
function typedIn([program, ...others]: readonly unknown[]): string {
  const line = others.length === 0 ? program : others.length === 2 && others[0] === '-c' ? others[1] : undefined;
  const words = line === undefined ? others : String(line).replaceAll(/["']/g, '').trim().split(/\s+/).slice(1);
  return words.map(String).join('\n');
}

/**
 * Counts one more start of a command line by the crossing of a context, from 1: what tells children apart that were started alike,
 * one after the other or side by side. `command`: the program and its arguments, or one line of a shell. Undefined outside crossings.
 */
export function countedChild(context: Context, command: readonly unknown[]): number | undefined {
  const starter = scopeOf(context) ?? trace.getSpan(context);
  if (starter === undefined) return undefined;
  const ofStarter = counts.get(starter) ?? new Map<string, number>();
  counts.set(starter, ofStarter);
  const key = typedIn(command);
  const occurrence = (ofStarter.get(key) ?? 0) + 1;
  ofStarter.set(key, occurrence);
  return occurrence;
}

/** Which of its likes this process was told to be; undefined where nobody told it, or in words that are no count. */
export function childOccurrence(environment: NodeJS.ProcessEnv): number | undefined {
  const text = environment[CHILD_OCCURRENCE_VARIABLE] ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Whether this process was started by an agent's own code, so that a replay starts it again: it is to be recorded without a call, too. */
export function isOfCodeThatRunsAgain(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment[CHILD_OF_CODE_VARIABLE]);
}

/** Whether the process of that code is there still, so that it delivers what this one leaves. Not to be asked in a replay, which gives processes other numbers. */
export function isStarterThere(environment: NodeJS.ProcessEnv): boolean {
  const starter = environment[CHILD_OF_CODE_VARIABLE] ?? '';
  return process.ppid === pristine.parentProcessId && ancestorNames().includes(starter);
}
