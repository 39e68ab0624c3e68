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

/** What one call to the health or the reflection service may send: some thousand questions. No room is held for these calls. */
export const SMALL_CALL_BYTES_MAX = 64 * 1024;

/** Readers that follow runs at one time. */
export const TAIL_READERS_MAX = 64;

/** How often a tail that has nothing to say shows that it is there. */
export const TAIL_HEARTBEAT_MS = 15_000;

/** How long a tail waits for a reader that does not read before it ends. */
export const TAIL_SLOW_READER_MS = 30_000;

/** Largest content that is fetched by a reference. */
export const REFERENCED_BYTES_MAX = 8 * 1024 * 1024;

/** How long fetching one content may take. */
export const REFERENCE_TIMEOUT_MS = 5_000;

/** How long a question waits for the summaries of what came before it; then it is answered without the rest. */
export const SUMMARY_WAIT_MS = 5_000;

/** Most items of one forwarded request. */
export const FORWARD_ITEMS_MAX = 512;

/** Bytes of one forwarded request, unless a single item or the resource of several is about as large: some backends refuse above 4 MiB. */
export const FORWARD_REQUEST_BYTES = 3 * 1024 * 1024;

/** How long one forwarded request may take. */
export const FORWARD_TIMEOUT_MS = 30_000;

/** First wait after a failed delivery; it doubles up to the maximum, with jitter. */
export const FORWARD_BACKOFF_FIRST_MS = 500;

/** Longest wait between two deliveries, unless the destination asks for more. */
export const FORWARD_BACKOFF_MAX_MS = 60_000;

/** A request that has passed so many collectors is kept and not sent on: no way is that long on purpose. */
export const PASSED_COLLECTORS_MAX = 8;

/**
 * How many times what is still free of a room one tenant may hold while there are several: 3 leaves a quarter to others even
 * when one takes without end.
 */
export const TENANT_SHARE_OF_FREE = 3;

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

/** Megabytes of the heap of each thread in which new objects lie; V8 takes up to 48. Less costs nothing where what is made is garbage at once. */
export const THREAD_YOUNG_GENERATION_MB = 8;

/** Most bytes of metrics that wait for destinations, those of all together; beyond it the oldest are let go of. */
export const METRICS_QUEUE_BYTES_MAX = 256 * 1024 * 1024;

/** Bytes of the disk that requests leave free: settling and deletions need some to make more. */
export const DISK_RESERVE_BYTES = 256 * 1024 * 1024;

/** Decoded frames and blocks remembered for readers. */
export const READ_CACHE_BYTES_MAX = 64 * 1024 * 1024;

/** Rows that a preview of retention reads between two turns of the event loop. */
export const PREVIEW_ROWS_PER_STEP = 1000;

/** Runs that a preview of retention names. */
export const PREVIEW_RUNS_NAMED_MAX = 20;

/** Runs that are named of those that could not be read whole, of each of the two reasons. */
export const UNREAD_RUNS_NAMED_MAX = 50;
