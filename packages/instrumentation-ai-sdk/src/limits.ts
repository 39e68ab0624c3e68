/** How many characters of a streamed answer are put together for the semconv view; a longer one keeps its exact parts only. */
export const STREAM_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;

/** How many parts of an input are looked into for its semconv view. */
export const INPUT_PARTS_VIEWED_MAX = 10_000;

/** How deep members without a value are left out of an input; below it they are kept as they are. */
export const INPUT_DEPTH_MAX = 64;
