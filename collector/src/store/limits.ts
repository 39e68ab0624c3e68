/** Entries of a queue that are dropped at one time: senders wait for no more of them than that. */
export const QUEUE_DROP_ENTRIES = 2000;

/** A request of a usual size: whether requests are taken is asked for one that needs so much room. */
export const PROBED_REQUEST_BYTES = 64 * 1024;

/** How long a disk that took a write is believed to take another, for health: a write and a sync for every question would slow requests down. */
export const PROBE_INTERVAL_MS = 1000;

/** How many traces are remembered as already in the index. */
export const REMEMBERED_TRACES_MAX = 4096;

/** Items that wait until their span ids are entered into the index together; a look-up reads through all that wait. */
export const SPAN_BATCH_ITEMS = 8192;

/** Page size of the index. */
export const DATABASE_PAGE_BYTES = 4096;

/** Pages of the index that its writer remembers. */
export const INDEX_WRITER_CACHE_BYTES = 64 * 1024 * 1024;

/** The same of each thread that reads it. */
export const INDEX_READER_CACHE_BYTES = 32 * 1024 * 1024;

/** The same of the search file. */
export const SEARCH_CACHE_BYTES = 32 * 1024 * 1024;

/** Page size of the search file: the words of one run change many pages. */
export const SEARCH_PAGE_BYTES = 16_384;

/** Bytes of words that one leaf of the search file holds; a leaf has a page of its own. */
export const SEARCH_LEAF_BYTES = 16_000;

/** Bytes of words gathered in memory before they are written, where one transaction has so many. */
export const SEARCH_HASH_BYTES = 16 * 1024 * 1024;

/** How hard the texts of runs are compressed that are kept to be searched: they are there a second time. */
export const SEARCH_TEXT_COMPRESSION_LEVEL = 1;

/** For how long bytes of runs that retention took out may stay between others in packs and databases: all packs that have some are written anew once in so long. */
export const EXPIRED_BYTES_STAY_MS = 86_400_000;

/** Pages in the log of the search file at which they are copied back. */
export const SEARCH_CHECKPOINT_PAGES = 1_000;

/** A facet that at most so many runs have leads to them; others are looked for along the list, where they come soon. */
export const RARE_FACET_RUNS_MAX = 2_000;

/** How long the thread that writes spends on summaries before it looks for something to append. */
export const SUMMARY_WRITE_MS = 5;

/** Runs without a current summary are counted up to this. */
export const STALE_COUNTED_MAX = 100_000;

/**
 * Packs that each reader of the store has open at one time, and as many segments of the log: three threads read, and what they open is less
 * than what connections leave.
 */
export const OPEN_FILES_PER_READER_MAX = 16;

/** Usual size of one log segment; a larger request gets a segment of its own size. */
export const SEGMENT_BYTES = 32 * 1024 * 1024;

/** Size a new segment starts with; it doubles as it fills, so that a small store stays small. */
export const SEGMENT_FIRST_BYTES = 1024 * 1024;

/**
 * Most settled segments kept to be written again: writing over a file takes a fraction of the processor time of growing one, and
 * syncs several times faster. As many as the log fills before it is settled, with the one that is written.
 */
export const FREE_SEGMENTS_MAX = 4;

/** Log bytes at which sealed segments are settled without waiting for them to age. */
export const SETTLE_LOG_BYTES = 96 * 1024 * 1024;

/**
 * Log bytes above which settling is in a hurry: it takes about half the processor time, and what it writes is larger until it is compressed again. What waits
 * is as large as it was sent.
 */
export const SETTLE_HURRY_LOG_BYTES = 4 * SETTLE_LOG_BYTES;

/** How long what was appended stays in the log before it is settled, so that a run mostly settles whole. */
export const SETTLE_AGE_MS = 60_000;

/** How often the store looks for something to settle, merge or expire. */
export const MAINTENANCE_INTERVAL_MS = 5000;

/** Most uncompressed bytes settled or rewritten in one go; a bound of memory. */
export const SETTLE_BYTES_MAX = 32 * 1024 * 1024;

/** Uncompressed bytes at which a trace continues in another block, unless its items share a resource about as large; also the window it is compressed with. */
export const BLOCK_BYTES_MAX = 8 * 1024 * 1024;

/** A block up to this many times the size of what is new for its trace is merged with it. */
export const BLOCK_MERGE_FACTOR = 2;

/** A pack below this size is merged with others. */
export const SMALL_PACK_BYTES = 1024 * 1024;

/** How many small packs there may be before they are merged. */
export const SMALL_PACKS_MAX = 8;

/** Share of a pack that may be dead before it is rewritten. */
export const DEAD_PACK_SHARE = 0.5;

/** Most of a disk that is reserved, as a share, however small it is. */
export const DISK_RESERVE_SHARE_MAX = 0.2;

/** Bytes of a file that is given up where somebody deletes or keeps a run and nothing else of the disk is left. */
export const DISK_SPARE_BYTES = 16 * 1024 * 1024;

/** Most of a disk that this file has, as a share. */
export const DISK_SPARE_SHARE_MAX = 0.1;

/** Compression level of blocks: a higher one takes twice the processor time and more to save a twelfth of the size. */
export const BLOCK_COMPRESSION_LEVEL = 3;

/** The same where settling is in a hurry. */
export const BLOCK_COMPRESSION_LEVEL_HURRIED = 1;

/** Bytes of appends up to which the store is idle: so many may come in the time below. */
export const RECOMPRESS_IDLE_BYTES = 4 * 1024 * 1024;

/** How long it takes after load until packs that were made in a hurry are compressed again. */
export const RECOMPRESS_IDLE_MS = 10_000;

/** Bytes of appends that writing a summary counts as, for whether the store is idle: while many are made, something is being caught up with. */
export const RECOMPRESS_SUMMARY_BYTES = 256 * 1024;

/** How long a pack that could not be compressed again is left alone. */
export const RECOMPRESS_RETRY_MS = 600_000;

/** Most bytes of the dictionary of one pack. */
export const DICTIONARY_BYTES_MAX = 64 * 1024;

/** Traces sampled for a dictionary. */
export const DICTIONARY_TRACES_MAX = 96;

/** Bytes looked at of each of those traces. */
export const DICTIONARY_SAMPLE_BYTES = 96 * 1024;

/** Size of the index's write-ahead log at which it is copied back, off the ingest path. */
export const INDEX_LOG_BYTES_MAX = 8 * 1024 * 1024;

/** The same between two settlements: the log would else grow for as long as there is something to settle, to several times what was sent. */
export const INDEX_LOG_BYTES_BUSY = 4 * INDEX_LOG_BYTES_MAX;

/** Traces that one step of retention deletes, so that it never holds up ingest for long. */
export const EXPIRE_TRACES_PER_STEP = 200;

/** Spans and log records of them together, beyond the first trace: a tenth of a second or two. */
export const EXPIRE_ITEMS_PER_STEP = 20_000;

/** Files of the chain's archive before they are merged into one. */
export const CHAIN_FILES_MAX = 32;

/** Most bytes of one group commit; more wait for the next, unless one request alone is larger. */
export const GROUP_COMMIT_BYTES_MAX = 8 * 1024 * 1024;

/** Characters of one value that runs are found by. */
export const FACET_CHARACTERS_MAX = 1_000;

/** How many log records are looked at in one go, of which none is held for longer. */
export const LOGS_SOUGHT_AT_ONCE = 64;

/** The same in bytes, which the last of them may go beyond: a record may be megabytes large. */
export const LOGS_SOUGHT_BYTES = 8 * 1024 * 1024;
