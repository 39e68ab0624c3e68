/** How much of a destination's answer is looked at. */
export const FORWARD_ANSWER_BYTES_MAX = 1024 * 1024;

/** Longest wait that a destination may ask for: a day that it names by mistake is no reason to be silent for a day. */
export const FORWARD_ASKED_MS_MAX = 3_600_000;

/** Up to which part of it is waited longer than a destination asked for. */
export const FORWARD_ASKED_SPREAD = 0.1;

/** How often a single item is sent that a destination has no room for, without saying when it will or that the item is too large. */
export const FORWARD_EXHAUSTED_TRIES = 8;

/** How many different reasons for dropped items are counted one by one for one destination. */
export const DROP_REASONS_MAX = 20;

/** How many different reasons of failed deliveries the log is told of between two that succeeded. */
export const FAILURE_REASONS_MAX = 20;

/** How often a request that was refused for something in it is parted in two, all its parts taken together: one bad item of 512 takes nine. */
export const FORWARD_SPLITS_MAX = 64;

/** The same where nothing was taken of the last request that was parted: down to a single item of 512. */
export const FORWARD_SPLITS_IN_DOUBT_MAX = 9;

/** How many refused items one line of the log names. */
export const REFUSED_NAMES_MAX = 10;
