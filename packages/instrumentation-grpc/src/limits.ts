/** How many bytes of the messages of one call are kept for comparison; more are compared by their length and digest. */
export const REQUEST_BYTES_MAX = 16 * 1024 * 1024;

/** How many messages of a streamed answer are kept as a part of a run's outcome. */
export const ANSWER_MESSAGES_MAX = 10_000;
