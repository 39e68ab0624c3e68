/** How many pairs of siblings one alignment weighs; longer lists are cut at anchors first, then aligned in a band. */
export const ALIGNMENT_PAIRS_MAX = 500_000;

/** How many words of an input tell how alike two inputs are. */
export const SIMILARITY_WORDS_MAX = 64;

/** How many characters at each end of an input are read for its words. */
export const SIMILARITY_CHARACTERS_MAX = 8_000;

/** How short an id may be and still be taken for one a provider made; shorter ones turn up as values by chance. */
export const MADE_ANEW_ID_CHARACTERS_MIN = 6;

/** How many pairs of members the alignment of two JSON arrays weighs; longer middles are compared by position. */
export const ARRAY_PAIRS_MAX = 40_000;

/** How many numbers make a list of numbers a vector, which differs as one value. */
export const VECTOR_NUMBERS_MIN = 8;

/** How many characters of a vector a difference shows. */
export const VECTOR_CHARACTERS_MAX = 60;

/** How many differing places of one crossing's input or outcome are listed; the totals count all. */
export const PLACES_LISTED_MAX = 25;

/** How many differing crossings a comparison lists; the totals count all. */
export const DIFFERENCES_LISTED_MAX = 500;

/** How many paths a note or an environment difference names. */
export const PATHS_NAMED_MAX = 3;
