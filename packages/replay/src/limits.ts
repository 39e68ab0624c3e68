/** How many paths of stale crossings one divergence lists. */
export const STALE_PATHS_MAX = 50;

/** How many changed leaf values are remembered per comparison, to find where a later change came from. */
export const CHANGED_LEAVES_MAX = 200;

/** How many characters of one changed leaf are remembered. */
export const CHANGED_LEAF_CHARACTERS_MAX = 4_000;

/** How short a changed value may be and still count as evidence; shorter ones turn up everywhere by chance. */
export const EVIDENCE_CHARACTERS_MIN = 3;

/** How many divergences a report lists; the counts name all of them. */
export const DIVERGENCES_MAX = 500;

/** How many characters of an outcome a report shows. */
export const OUTCOME_CHARACTERS_MAX = 2_000;

/** How many names an error message lists before it only counts. */
export const NAMES_LISTED_MAX = 12;

/** How many bytes the baggage member that carries a position may have. */
export const POSITION_TOKEN_BYTES_MAX = 256;

/** How many bytes one process may report; what is beyond is not read, and the report says so. */
export const REPORT_FILE_BYTES_MAX = 256 * 1024 * 1024;

/** How many turns of the event loop an agent gets to react to one released completion before the next. */
export const REACTION_TURNS = 2;

/** How wide a rendered text report is, in characters. */
export const TEXT_WIDTH_CHARACTERS = 100;

/** How many characters of a differing value the text and Markdown reports show on each side. */
export const RENDERED_VALUE_CHARACTERS_MAX = 160;

/** How many differing places of one divergence the text and Markdown reports show. */
export const RENDERED_DIFFERENCES_MAX = 8;

/** How many paths of stale crossings the text and Markdown reports show. */
export const STALE_PATHS_RENDERED_MAX = 5;

/** How many links that lead nowhere are followed to find out where a file would be made. */
export const LINKS_FOLLOWED_MAX = 40;

/** How many different refused effects one process reports; what comes after is refused as well, and a note says so. */
export const FORBIDDEN_EFFECTS_MAX = 500;

/** How large one request to a served provider may be, bytes; images inside prompts make them large. */
export const SERVED_REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** How long a served answer waits for calls that were recorded beside it to end first, milliseconds. */
export const OVERLAP_WAIT_MS = 500;
