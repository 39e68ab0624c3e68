import { PROCESS_ANCESTORS_MAX } from '../limits.ts';
import { pristine } from './pristine.ts';
import { processState } from './process-state.ts';

/** What tells a process from every other one of its machine or container, also from a later one that was given the same id. */
interface ProcessName {
  readonly processId: number;
  /** When the process started, in a unit of the system's own; `0` where the system does not tell. */
  readonly start: string;
}

/** The name of a process in what `ancestorNames` gives. */
export function processName({ processId, start }: ProcessName): string {
  return `${processId}.${start}`;
}

/** The name of this process. */
export function ownName(): string {
  return processName({ processId: pristine.processId, start: processState('self')?.start || '0' });
}

/** Names the processes that this one descends from, nearest first: all that are there still on Linux, elsewhere the one that started it. */
export function ancestorNames(): string[] {
  const names: string[] = [];
  for (let processId = pristine.parentProcessId; processId > 0 && names.length < PROCESS_ANCESTORS_MAX; ) {
    const state = processState(processId);
    names.push(processName({ processId, start: state?.start || '0' }));
    processId = state?.parent ?? 0;
  }
  return names;
}
