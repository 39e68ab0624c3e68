/** How long a process that is already ending waits for its last spans to be taken, milliseconds. */
export const POST_AT_EXIT_MS_MAX = 3_000;

/** How long one request of the exporter may go on when the process has nothing else to do, milliseconds. */
export const EXPORT_AT_EXIT_MS_MAX = 3_000;
