/** How many bytes of the messages of one call are kept for comparison; more are compared by their length and digest. */
export const REQUEST_BYTES_MAX = 16 * 1024 * 1024;

/** How many messages of a streamed answer are kept as a part of a run's outcome. */
export const ANSWER_MESSAGES_MAX = 10_000;

/** How long it is waited whether a server takes part in a replay, milliseconds, within the deadline of the call; it may have to fetch the recording first. */
export const JOIN_QUESTION_MS_MAX = 30_000;
