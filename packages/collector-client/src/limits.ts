/** How long one answer of the collector may take before the client gives up. */
export const ANSWER_TIMEOUT_MS = 30_000;

/** How large one message of the replay service may be, bytes. */
export const REPLAY_MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

/** How large the pieces are in which a recording is sent to and from the replay service, bytes. */
export const RECORDING_CHUNK_BYTES = 1024 * 1024;

/** How long a client waits before it tries again what failed for the first time. */
export const RETRY_MS = 1_000;

/** How long it waits at most, however often that has failed. */
export const RETRY_MS_MAX = 16_000;
