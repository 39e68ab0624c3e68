/** How deep a value may nest before the rest is marked lossy. */
export const VALUE_DEPTH_MAX = 400;

/**
 * How many objects one value may hold before the rest is marked lossy: an object whose getters make objects of the same kind has no
 * end, and would end the host's process.
 */
export const VALUE_OBJECTS_MAX = 2_000_000;

/** How deep plain objects are looked through for members that do not show: an argument, and what a call gives; of lists the first item at any depth. */
export const HIDDEN_DEPTH_MAX = 1;

/** Of how many places of one value it is told that what is there was left out, as too deep or too large. */
export const CUTS_TOLD_MAX = 100;

/** How many bytes of a `Blob` or file are kept; a larger one is marked lossy. */
export const BLOB_BYTES_MAX = 64 * 1024 * 1024;

/** How many holes of one array are written one by one; beyond them only what is there is, by its index. */
export const ARRAY_HOLES_MAX = 1_000;

/** From how many bytes on a chunk of control characters is kept as base64: of a shorter one nobody runs out of room. */
export const ESCAPED_CHUNK_BYTES_MIN = 4 * 1024;

/** How many differences one comparison lists before it only counts. */
export const DIFF_ENTRIES_MAX = 25;

/** How many characters of a value a difference shows on each side. */
export const DIFF_VALUE_CHARACTERS_MAX = 400;

/** How many characters before the first differing one a cut value still shows. */
export const DIFF_CONTEXT_CHARACTERS = 60;

/** How long a text may be for a difference to be looked for in the JSON that it holds, and not in its characters. */
export const JSON_IN_TEXT_CHARACTERS_MAX = 1024 * 1024;

/** How deep that JSON may be: it is walked by functions that call themselves. */
export const JSON_IN_TEXT_DEPTH_MAX = 200;

/** How many links of an error's cause chain are kept. */
export const ERROR_CAUSES_MAX = 16;

/** How many errors of the list that one error holds are kept. */
export const ERROR_ERRORS_MAX = 1_000;

/** How many errors are kept of all that one error names, and that those name. */
export const ERROR_RECORDS_MAX = 2_000;

/** How many own fields of one error are kept. */
export const ERROR_FIELDS_MAX = 64;

/** How many names are offered for a word that they have; one that more have says too little. */
export const MEANT_NAMES_MAX = 3;

/** From how many characters on a word may be part of a name that was meant. */
export const MEANT_WORD_CHARACTERS_MIN = 3;

/** How many characters of a user agent are read for versions of packages. */
export const USER_AGENT_CHARACTERS_MAX = 1_000;
