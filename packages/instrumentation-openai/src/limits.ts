/** How many characters of a response are read for the semconv view; a longer one keeps its exact bytes only. */
export const RESPONSE_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;

/** How many characters of a request are read for the semconv view of its messages; a longer one keeps its exact text only. */
export const REQUEST_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;
