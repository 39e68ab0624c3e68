import type { JoinedEntry } from '@reenact/replay';
import { processState } from '@reenact/trace-model';

/** Of all copies of this package: a compiler that is loaded before the hook gives the hook one, and the program another. */
const state = processState<{ joined: JoinedEntry | undefined }>('joined-entry.1', () => ({ joined: undefined }));

/** Keeps how this process enters its replay, from the register hook to the program that does it. */
export function keepJoinedEntry(entry: JoinedEntry | undefined): void {
  state.joined = entry;
}

/** How this process enters its replay; undefined where it is not one that a function enters. */
export function joinedEntry(): JoinedEntry | undefined {
  return state.joined;
}
