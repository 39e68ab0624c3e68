/** Largest request accepted, on the wire and again after decompression, as the OTLP specification recommends. */
export const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** Most bytes of requests that are being read or decoded at one time; beyond it senders are told to retry. */
export const BYTES_IN_FLIGHT_MAX = 80 * 1024 * 1024;

/** A process that may have so much has rooms and caches of their usual size; with less, they are smaller in proportion. */
export const MEMORY_PLENTY_BYTES = 1024 * 1024 * 1024;

/** Smallest part of the usual size: below it, what is always there takes most of the memory. */
export const MEMORY_SHARE_MIN = 0.25;

/** What the process holds under load beside requests in work: heaps of its threads, caches, and what is settled and summarised. */
export const MEMORY_BESIDE_REQUESTS_BYTES = 384 * 1024 * 1024;

/** Bytes of memory for each byte of requests in work: it is held as it came, as a frame, and for a while as garbage. */
export const MEMORY_PER_REQUEST_BYTE = 8;

/** Smallest room for requests in work: some of a usual size, or a large one alone. */
export const BYTES_IN_FLIGHT_MIN = 4 * 1024 * 1024;

/** Most bytes waiting for the next commit; beyond it senders are told to retry. */
export const COMMIT_BACKLOG_BYTES_MAX = 256 * 1024 * 1024;

/** What a sender that was told to retry should wait. */
export const RETRY_AFTER_MS = 1000;

/** How often the log is told of what goes on and on: refusals, rejections, deliveries that a destination does not take. */
export const REPEATED_LOG_INTERVAL_MS = 60_000;

/** Entries of a queue that are dropped at one time: senders wait for no more of them than that. */
export const QUEUE_DROP_ENTRIES = 2000;

/** A request of a usual size: whether requests are taken is asked for one that needs so much room. */
export const PROBED_REQUEST_BYTES = 64 * 1024;

/** How long a disk that took a write is believed to take another, for health: a write and a sync for every question would slow requests down. */
export const PROBE_INTERVAL_MS = 1000;

/** How often it is looked whether health has changed, where somebody watches it. */
export const HEALTH_WATCH_MS = 1000;

/** How many kinds of the same event are told apart within `REPEATED_LOG_INTERVAL_MS`, where senders decide how many there are: a line a tenant. */
export const REPEATED_KINDS_MAX = 32;

/** How long the sender of a request may send nothing of it: what has come and what is announced takes room that others need. */
export const REQUEST_STALL_MS = 30_000;

/** How long all of a request may take to come, as servers of Node.js have it: exporters give up after seconds. */
export const REQUEST_TIME_MS_MAX = 300_000;

/** How long a stop waits for requests in flight before it cuts their connections. */
export const STOP_GRACE_MS = 10_000;

/** How often files with tokens and certificates are looked at for changes. */
export const ACCESS_CHECK_MS = 2000;

/** How often a collector's own metrics are sent, where that is asked for. */
export const METRICS_INTERVAL_MS = 60_000;

/** How long sending a collector's own metrics may take. */
export const METRICS_EXPORT_TIMEOUT_MS = 5000;

/** How long a stop waits for the last of a collector's own metrics to be taken. */
export const METRICS_STOP_MS = 1000;

/** Bodies and frames up to this size lie in memory that is used again; larger ones are rare. */
export const REUSED_PIECE_BYTES_MAX = 1024 * 1024;

/** Smallest piece of such memory. */
export const REUSED_PIECE_BYTES_MIN = 4096;

/** Most of such memory kept while it is not used; twice, for bodies and for frames. */
export const REUSED_BYTES_MAX = 16 * 1024 * 1024;

/** How much of a compressed body is inflated between two looks at how much room there is. */
export const INFLATE_CHUNK_BYTES = 64 * 1024;

/** What a gRPC sender may send of one request before the receiver has read any of it: most requests whole. */
export const GRPC_STREAM_WINDOW_BYTES = 4 * 1024 * 1024;

/** The same of all requests of one connection. */
export const GRPC_CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Room a gRPC request holds from its headers on; what it needs beyond that is taken as its message arrives. */
export const GRPC_REQUEST_RESERVED_BYTES = 256 * 1024;

/** What one call to the health or the reflection service may send: some thousand questions. No room is held for these calls. */
export const SMALL_CALL_BYTES_MAX = 64 * 1024;

/**
 * How many times the bytes still free one tenant may hold while there are several: 3 leaves a quarter to others even when one
 * sends without end.
 */
export const TENANT_SHARE_OF_FREE = 3;

/** How much of a refused body is still read, so that the sender gets to read the answer. */
export const REFUSED_BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024;

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

/** Runs of one list answer when the query names no limit. */
export const RUNS_PER_PAGE_DEFAULT = 50;

/** A facet that at most so many runs have leads to them; others are looked for along the list, where they come soon. */
export const RARE_FACET_RUNS_MAX = 2_000;

/** Values of one kind that a summary names; runs are found by all of them. */
export const SUMMARY_NAMES_MAX = 50;

/** Things a recording lacks that a summary names one by one; each cause has one of them in any case. */
export const SUMMARY_MISSING_MAX = 50;

/** Values of one facet that one run is found by. */
export const FACET_VALUES_MAX = 2_000;

/** Characters of one value that runs are found by. */
export const FACET_CHARACTERS_MAX = 1_000;

/** Crossings of one run that drift compares. */
export const OBSERVATIONS_PER_RUN_MAX = 5_000;

/** Largest attribute, event or link of a span that is looked at where what was said in the span is not. */
export const OUTLINE_ITEM_BYTES_MAX = 4 * 1024;

/** Events of one span that are remembered of a run that is summarised in pieces. */
export const OUTLINE_EVENTS_MAX = 128;

/** Characters of the text of one crossing that can be searched; the beginning counts. */
export const CROSSING_TEXT_CHARACTERS_MAX = 16 * 1024;

/** Characters of the text of one run that can be searched. */
export const RUN_TEXT_CHARACTERS_MAX = 256 * 1024;

/** Longer JSON is looked through for its words as far as they count, and not read whole. */
export const SCANNED_CHARACTERS_MIN = 1024 * 1024;

/** A piece of text without a space that is longer than this is data, not words. */
export const UNBROKEN_CHARACTERS_MAX = 512;

/** Places shown of one run that was found. */
export const SEARCH_HITS_PER_RUN_MAX = 3;

/** Characters shown around what was found, on each side. */
export const SNIPPET_CHARACTERS_AROUND = 60;

/** Runs of one search answer when the query names no limit. */
export const FOUND_PER_PAGE_DEFAULT = 20;

/** Drifts of one answer when the query names no limit. */
export const DRIFTS_PER_PAGE_DEFAULT = 20;

/** Characters of input and output that a tree shows of one crossing. */
export const PREVIEW_CHARACTERS_MAX = 300;

/** Characters that are looked at for these: white space counts once. */
export const PREVIEW_CHARACTERS_READ = 20_000;

/** Bytes of spans that are made into one piece of a recording's answer; requests are served between two pieces. */
export const RECORDING_PIECE_BYTES = 4 * 1024 * 1024;

/** Spans of one piece of a recording's answer. */
export const RECORDING_PIECE_SPANS = 2_000;

/** Characters of such a piece that become bytes together: a piece is as large as the span in it. */
export const WRITTEN_CHARACTERS_MAX = 1024 * 1024;

/** How long a reader of an answer in pieces may read nothing: pieces that wait for it are held in memory. */
export const READER_PATIENCE_MS = 120_000;

/** Spans of a run whose tree is made in one go, of all that was said; a larger one is made of outlines. */
export const TREE_SPANS_MAX = 20_000;

/** Bytes of such a run, where memory is plenty. */
export const TREE_BYTES_MAX = 128 * 1024 * 1024;

/** Spans of which a tree of outlines is made, where memory is plenty; each takes some kilobyte until it is sent. */
export const TREE_OUTLINES_MAX = 150_000;

/** Crossings of a tree of outlines that are written together. */
export const TREE_NODES_PER_PIECE = 1_000;

/** Readers that follow runs at one time. */
export const TAIL_READERS_MAX = 64;

/** Runs that one step of a tail writes before it waits for its reader. */
export const TAIL_RUNS_PER_STEP = 50;

/** How often a tail that has nothing to say shows that it is there. */
export const TAIL_HEARTBEAT_MS = 15_000;

/** How long a tail waits for a reader that does not read before it ends. */
export const TAIL_SLOW_READER_MS = 30_000;

/** Largest content that is fetched by a reference. */
export const REFERENCED_BYTES_MAX = 8 * 1024 * 1024;

/** Fetched contents that are remembered, in characters. */
export const REFERENCED_BYTES_HELD_MAX = 32 * 1024 * 1024;

/** How long fetching one content may take. */
export const REFERENCE_TIMEOUT_MS = 5_000;

/** Traces summarised together: the way between threads costs as much as a small summary. */
export const SUMMARIES_PER_BATCH = 32;

/** Runs that changed last, which have their turn first, and are waited for, where a question cannot wait for all. */
export const SUMMARIES_NEWEST_FIRST = 2 * SUMMARIES_PER_BATCH;

/** Bytes of spans at which traces are summarised together no further: a bound of memory. */
export const SUMMARY_BATCH_BYTES = 1024 * 1024;

/** Bytes of a run up to which it is summarised as a whole: decoded, and with what its payloads amount to, it takes some ten times that. */
export const SUMMARY_WHOLE_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes of spans that are looked at together of a run that is larger. */
export const SUMMARY_PIECE_BYTES = 4 * 1024 * 1024;

/** Spans of such a piece. */
export const SUMMARY_PIECE_SPANS = 2_000;

/** Spans that a summary is made of; each takes some kilobyte of memory until it is made. */
export const SUMMARY_SPANS_MAX = 150_000;

/** Largest span of which a summary looks at what was said in it, which takes some ten times that. */
export const SUMMARY_SPAN_BYTES_MAX = 64 * 1024 * 1024;

/** Bytes of log records up to which a summary looks at those of a run. */
export const SUMMARY_LOG_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Bytes of spans at which no more summaries are written together. Words of many runs that are entered in one transaction take
 * half of what they take one by one, and such a transaction is one sync.
 */
export const SUMMARIES_WRITTEN_BYTES = 8 * 1024 * 1024;

/** Batches of summaries that are read, made or written at one time. */
export const SUMMARY_BATCHES_IN_WORK = 2;

/** How often a run may not be read, for errors of the disk or of the index, until it is listed as one that cannot be: else no other one would be summarised beside it. */
export const SUMMARY_READ_FAILURES_MAX = 3;

/** Traces that are queued for a summary in memory; the index knows the rest. */
export const SUMMARIES_QUEUED_MAX = 10_000;

/** How long the thread that writes spends on summaries before it looks for something to append. */
export const SUMMARY_WRITE_MS = 5;

/** How long a summary waits for the rest of a burst of spans; a query does not wait. */
export const SUMMARY_DELAY_MS = 250;

/** How long nothing more of a summarised run comes before it is summarised again unasked: longer than exporters usually wait. */
export const SUMMARY_QUIET_MS = 6_000;

/** Bytes of a run that make this a millisecond longer: what a summary costs is a few hundredths of the time until the next. */
export const SUMMARY_BYTES_PER_QUIET_MS = 256;

/** How long a run that goes on and on has no current summary at most, unless somebody asks. */
export const SUMMARY_STALE_MS_MAX = 60_000;

/** The same of the runs of a tenant that somebody follows. */
export const SUMMARY_FOLLOWED_MS = 2_000;

/** Runs that are remembered as just summarised, and such that wait; a run more is summarised at each change. */
export const SUMMARIES_PAUSED_MAX = 10_000;

/** How long a question waits for the summaries of what came before it; then it is answered without the rest. */
export const SUMMARY_WAIT_MS = 5_000;

/** Runs without a current summary are counted up to this. */
export const STALE_COUNTED_MAX = 100_000;

/** Most items of one forwarded request. */
export const FORWARD_ITEMS_MAX = 512;

/** Bytes of one forwarded request, unless a single item or the resource of several is about as large: some backends refuse above 4 MiB. */
export const FORWARD_REQUEST_BYTES = 3 * 1024 * 1024;

/** How long one forwarded request may take. */
export const FORWARD_TIMEOUT_MS = 30_000;

/** How much of a destination's answer is looked at. */
export const FORWARD_ANSWER_BYTES_MAX = 1024 * 1024;

/** First wait after a failed delivery; it doubles up to the maximum, with jitter. */
export const FORWARD_BACKOFF_FIRST_MS = 500;

/** Longest wait between two deliveries, also where the destination asks for more. */
export const FORWARD_BACKOFF_MAX_MS = 60_000;

/** How often a single item is sent that a destination has no room for, without saying when it will or that the item is too large. */
export const FORWARD_EXHAUSTED_TRIES = 8;

/** A request that has passed so many collectors is kept and not sent on: no way is that long on purpose. */
export const PASSED_COLLECTORS_MAX = 8;

/** How many different reasons for dropped items are counted one by one for one destination. */
export const DROP_REASONS_MAX = 20;

/** Replays relayed between drivers and services at one time. */
export const REPLAYS_HELD_MAX = 1_000;

/** Bytes of the recordings and reports of all replays that are relayed; they are held in memory only. */
export const REPLAY_BYTES_HELD_MAX = 512 * 1024 * 1024;

/** Largest part of what the process may have that these bytes are, where nothing is said. */
export const REPLAY_MEMORY_SHARE_MAX = 0.25;

/** How long a replay is relayed at most, milliseconds. */
export const REPLAY_LIFE_MS_MAX = 60 * 60 * 1_000;

/** Processes that take part in one relayed replay. */
export const REPLAY_MEMBERS_MAX = 256;

/** How long a driver that gathers reports lets services finish, milliseconds. */
export const REPLAY_GATHER_MS_MAX = 60_000;

/** Characters of an id or name at the replay service. */
export const REPLAY_NAME_CHARACTERS_MAX = 256;

/** How often runs whose time is over are looked for. */
export const RETENTION_INTERVAL_MS = 600_000;

/** Open files that connections leave to the store, at least: databases, the log, packs that are read. */
export const OPEN_FILES_RESERVED_MIN = 96;

/** The same as a part of what the process may have open. */
export const OPEN_FILES_RESERVED_SHARE = 0.25;

/**
 * Packs that each reader of the store has open at one time, and as many segments of the log: three threads read, and what they open is less
 * than what connections leave.
 */
export const OPEN_FILES_PER_READER_MAX = 16;

/** Requests that wait behind the one in work of a connection over HTTP; one over which more come is cut off. */
export const PIPELINED_REQUESTS_MAX = 100;

/** How long a connection over HTTP is kept that nothing comes over: exporters send every 5 s and proxies keep theirs for a minute. */
export const HTTP_IDLE_MS = 75_000;

/** How far the system's clock may run ahead of time that passed before retention doubts it. */
export const CLOCK_LEAP_MS = 3_600_000;

/** How often a running collector looks for requests to its store. */
export const STORE_REQUEST_POLL_MS = 1000;

/** How often whoever waits for an answer looks whether the process that should give it is still there. */
export const STORE_REQUEST_CHECK_MS = 5000;

/** How long such a request may take, but for a backup. */
export const STORE_REQUEST_TIMEOUT_MS = 3_600_000;

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

/** Megabytes of the heap of each thread in which new objects lie; V8 takes up to 48. Less costs nothing where what is made is garbage at once. */
export const THREAD_YOUNG_GENERATION_MB = 8;

/** The same for the thread that makes summaries, where memory is plenty: a run in work outlives a small one, and was copied again and again. */
export const SUMMARY_YOUNG_GENERATION_MB = 32;

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

/** Most bytes of metrics that wait for destinations, those of all together; beyond it the oldest are let go of. */
export const METRICS_QUEUE_BYTES_MAX = 256 * 1024 * 1024;

/** Bytes of the disk that requests leave free: settling and deletions need some to make more. */
export const DISK_RESERVE_BYTES = 256 * 1024 * 1024;

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

/** Decoded frames and blocks remembered for readers. */
export const READ_CACHE_BYTES_MAX = 64 * 1024 * 1024;

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
