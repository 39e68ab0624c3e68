/** Largest request accepted, on the wire and again after decompression, as the OTLP specification recommends. */
export const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** Most bytes of requests that are being read or decoded at one time; beyond it senders are told to retry. */
export const BYTES_IN_FLIGHT_MAX = 256 * 1024 * 1024;

/** Most bytes waiting for the next commit; beyond it senders are told to retry. */
export const COMMIT_BACKLOG_BYTES_MAX = 256 * 1024 * 1024;

/** What a sender that was told to retry should wait. */
export const RETRY_AFTER_MS = 1000;

/** How long a stop waits for requests in flight before it cuts their connections. */
export const STOP_GRACE_MS = 10_000;

/** How much of a refused body is still read, so that the sender gets to read the answer. */
export const REFUSED_BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024;

/** How many resources and scopes are remembered as already stored. */
export const REMEMBERED_PARTS_MAX = 4096;

/** Page size of the database file; 16 KiB writes large spans nearly twice as fast as SQLite's default. */
export const DATABASE_PAGE_BYTES = 16_384;

/** Pages in the write-ahead log at which SQLite copies them back into the database. */
export const CHECKPOINT_PAGES = 4000;

/** Runs of one list answer when the query names no limit. */
export const RUNS_PER_PAGE_DEFAULT = 50;

/** Traces summarised between two turns of the event loop. */
export const SUMMARIES_PER_TURN = 4;

/** How long a summary waits for the rest of a burst of spans; a query does not wait. */
export const SUMMARY_DELAY_MS = 250;

/** Most items of one forwarded request. */
export const FORWARD_ITEMS_MAX = 512;

/** Bytes of one forwarded request, unless a single item is larger: some backends refuse above 4 MiB. */
export const FORWARD_REQUEST_BYTES = 3 * 1024 * 1024;

/** How long one forwarded request may take. */
export const FORWARD_TIMEOUT_MS = 30_000;

/** First wait after a failed delivery; it doubles up to the maximum, with jitter. */
export const FORWARD_BACKOFF_FIRST_MS = 500;

/** Longest wait between two deliveries, also where the destination asks for more. */
export const FORWARD_BACKOFF_MAX_MS = 60_000;

/** How many different reasons for dropped items are counted one by one for one destination. */
export const DROP_REASONS_MAX = 20;

/** Replays relayed between drivers and services at one time. */
export const REPLAYS_HELD_MAX = 1_000;

/** Bytes of the recordings and reports of all replays that are relayed; they are held in memory only. */
export const REPLAY_BYTES_HELD_MAX = 512 * 1024 * 1024;

/** How long a replay is relayed at most, milliseconds. */
export const REPLAY_LIFE_MS_MAX = 60 * 60 * 1_000;

/** Processes that take part in one relayed replay. */
export const REPLAY_MEMBERS_MAX = 256;

/** How long a driver that gathers reports lets services finish, milliseconds. */
export const REPLAY_GATHER_MS_MAX = 60_000;

/** Characters of an id or name at the replay service. */
export const REPLAY_NAME_CHARACTERS_MAX = 256;
