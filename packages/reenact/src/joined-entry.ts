import type { JoinedEntry } from '@reenact/replay';

let joined: JoinedEntry | undefined;

/** Keeps how this process enters its replay, from the register hook to the program that does it. */
export function keepJoinedEntry(entry: JoinedEntry | undefined): void {
  joined = entry;
}

/** How this process enters its replay; undefined where it is not one that a function enters. */
export function joinedEntry(): JoinedEntry | undefined {
  return joined;
}
