/** How many traces' counters are remembered for crossings that no crossing encloses. */
export const RUNS_REMEMBERED_MAX = 10_000;

/** How many open crossings are kept track of, to be told as pending when the process exits. */
export const OPEN_CROSSINGS_MAX = 50_000;

/** How many bytes of encoded chunks one streamed outcome keeps; what comes after is marked lossy. */
export const STREAM_BYTES_MAX = 64 * 1024 * 1024;

/** How many stack frames are captured to find the user's line in a replay. */
export const STACK_FRAMES_MAX = 60;

/** How many bytes of one response body an exchange keeps; a longer one is recorded as not read to its end. */
export const EXCHANGE_BODY_BYTES_MAX = 64 * 1024 * 1024;

/** How many characters at the end of a body are looked at for a completion sentinel. */
export const COMPLETION_TAIL_CHARACTERS_MAX = 64;
