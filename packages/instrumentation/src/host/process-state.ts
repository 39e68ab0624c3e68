import * as files from 'node:fs';

// Taken out of the module record, which the guard of a replay rewrites.
const { readFileSync } = { ...files };

/** What Linux tells of a process. */
export interface ProcessState {
  /** The number of the process that started it, or of the one that was given it when that ended. */
  readonly parent: number;
  /** When it started, in a unit of the system's own. */
  readonly start: string;
  /** Whether it has ended, and its number is kept only until somebody asks how: where nobody does, as in a container whose first process does not, for ever. */
  readonly hasEnded: boolean;
}

/** Undefined where there is no such process, and where the system does not tell. */
export function processState(processId: number | 'self'): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    // The second field is a name in brackets that may hold anything; the start time is the 22nd.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    return { parent: Number(parent), start: fields[19] ?? '', hasEnded: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}
