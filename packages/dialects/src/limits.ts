/** How many crossings of a set-up with one kind, name and input are taken, one half of its beginning, the other of its end; a flag that is polled for days has thousands. */
export const SET_UP_REPEATS_MAX = 128;

/** How many crossings of all kinds that end holds at most. */
export const SET_UP_END_CROSSINGS_MAX = 1_000;

/** How many of what a process did beside a run are taken, of each kind, name and input, and of all: polls, and what lost the run's context. */
export const BESIDE_REPEATS_MAX = 32;
export const BESIDE_CROSSINGS_MAX = 1_000;

/** How many of what a process did after a run are taken, of each kind, name and input, and of all: what closes what had been opened. */
export const AFTERWARDS_REPEATS_MAX = 4;
export const AFTERWARDS_CROSSINGS_MAX = 200;

/** How many crossings directly inside the run of a process are taken as the set-up of a run. */
export const SET_UP_CROSSINGS_MAX = 5_000;

/** Longer texts are looked through for whether they are JSON; shorter ones are read, which is faster. */
export const SCANNED_CHARACTERS_MIN = 1024 * 1024;

/** The largest index of a list that is flattened into attributes; SDKs keep some hundred attributes by themselves. */
export const FLATTENED_INDEX_MAX = 10_000;

/** Longer JSON in attributes of other vocabularies is not read for what it says beside the messages. */
export const TRANSLATED_JSON_CHARACTERS_MAX = 8 * 1024 * 1024;

/** Among how many model calls that had not ended the one is looked for that tells of another call from above. */
export const OPEN_CALLS_MAX = 64;
