/**
 * The environment variables by which a process learns of a replay, apart from everything that replays: the hook of a process that only
 * records reads them, and must not pay for more at its start.
 */

/** Names a replay's directory to its processes. */
export const REPLAY_DIRECTORY_VARIABLE = 'REENACT_REPLAY';

/**
 * Set for processes that Reenact itself starts beside an agent, to deliver what it recorded; names the replay's directory. They run no
 * code of the user and must not be replayed.
 */
export const OWN_PROCESS_VARIABLE = 'REENACT_OWN_PROCESS';

/** Tells a process that a replay has started which number it had when it was recorded: see `told-number.ts`. */
export const TOLD_NUMBER_VARIABLE = 'REENACT_PROCESS_NUMBER';

/** Allows replays in a process: `shared` beside its ordinary traffic. */
export const REPLAY_ALLOW_VARIABLE = 'REENACT_REPLAY_ALLOW';
