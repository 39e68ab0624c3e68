/** How long one answer of the collector may take before the client gives up. */
export const ANSWER_TIMEOUT_MS = 30_000;
