/** How many differing places of one crossing the text and Markdown forms show. */
export const PLACES_SHOWN_MAX = 6;

/** How many differing crossings the Markdown form shows. */
export const DIFFERENCES_SHOWN_MAX = 30;
