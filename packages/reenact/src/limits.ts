/** How long a process that is already ending waits for its last spans to be taken, milliseconds. */
export const POST_AT_EXIT_MS_MAX = 3_000;

/** How long one request takes at most that delivers a spool while its process waits to end, milliseconds. */
export const DELIVER_AT_EXIT_MS_MAX = 1_500;

/**
 * How long one export may take, retries of the exporter included, milliseconds. Shorter than the exporter's own 10 seconds:
 * what fails waits in the processor and is tried again, and a process that has ended is not held up.
 */
export const EXPORT_MS_MAX = 3_000;

/** How long a command waits to know which run is the latest, while the collector still summarises some, milliseconds: where runs keep coming, it always does. */
export const LATEST_WAIT_MS_MAX = 10_000;

/** How far ahead of this machine's clock a run may have begun and still be the latest, milliseconds: clocks differ, and one that is set wrong leads for good. */
export const LATEST_AHEAD_MS_MAX = 24 * 60 * 60 * 1_000;

/** How many runs `latest~…` may go back: as many as one page of the list has. */
export const LATEST_BACK_MAX = 99;

/** How many runs of one conversation a replay goes through. */
export const SESSION_RUNS_MAX = 1_000;

/** How many requests that came before one it is replayed after. */
export const REQUESTS_BEFORE_MAX = 1_000;

/** How many other runs of its process a replay by command goes through, before the run and beside it. */
export const RUNS_BESIDE_MAX = 1_000;

/** How often a collector that runs looks for what processes of its machine left in their spool, milliseconds. It takes what two looks have found. */
export const SPOOL_LOOK_EVERY_MS = 5_000;

/** How often in a row the collector may give no more runs of a session because some still wait; it waits for them before each of these answers. */
export const SESSION_ASKS_MAX = 12;

/** How long a replay runs before anything is said about how far it has come, milliseconds. */
export const PROGRESS_AFTER_MS = 3_000;

/** How often that is said where nobody looks at a terminal, milliseconds. */
export const PROGRESS_LINE_EVERY_MS = 15_000;

/** How long a replay meets no crossing before the progress says so, and how it can be ended, milliseconds. */
export const PROGRESS_QUIET_AFTER_MS = 10_000;

/** How long what a function entry left running may go on after the function ended, milliseconds. */
export const ENTRY_LINGER_MS = 2_000;

/** How long an address may take to accept a connection before nobody is taken to be there, milliseconds. */
export const CONNECT_MS_MAX = 3_000;

/** How long a collector may take to say how it is, milliseconds. */
export const HEALTH_MS_MAX = 10_000;

/** How many tracked files are compared with git's index when a process starts. */
export const TRACKED_FILES_MAX = 3_000;

/** How many bytes of files with new times are read to find out whether they changed. */
export const HASHED_BYTES_MAX = 16 * 1024 * 1024;

/** Random bytes of a token that `reenact config token` makes. */
export const TOKEN_BYTES = 32;

/** Largest recording that `reenact show` reads to print a line of what was said: decoded, it takes some five times that. */
export const SHOWN_BYTES_MAX = 128 * 1024 * 1024;

/** How long `reenact show` waits for the summary of a run whose tree it asks for, milliseconds. */
export const SUMMARY_WAIT_MS_MAX = 300_000;

/** How often it asks, milliseconds. */
export const SUMMARY_ASK_EVERY_MS = 1_000;

/** How long an app may take to load again what was loaded before the hook: only then it is said not to be patched. */
export const PRELOADED_TOLD_AFTER_MS = 10_000;

/** By how many threads Node.js reads files where nothing is said. */
export const FILE_THREADS = 4;

/** How many of them a folder of content elsewhere can hold: one read each for answers, summaries and comparisons. */
export const FOLDER_THREADS = 3;

/** As many outcomes of one input are printed by `reenact drift`, the most frequent first: an answer that says an id is another each time. */
export const DRIFT_OUTCOMES_SHOWN_MAX = 10;
