/**
 * Version of the files of a data directory: docs/adr/0020-log-and-blocks.md. Version 1 was one SQLite file (0005); batches of version 2 held no
 * unknown fields.
 */
export const FORMAT_VERSION = 3;

/** The first version whose files are read as they are. */
export const FORMAT_VERSION_READ = 2;

/**
 * Version of what a run's summary holds, kept in SQLite's `user_version`. Raise it when summaries change: every trace is
 * then summarised again at the next start.
 */
export const SUMMARY_VERSION = 20;

/** Name of the index in a data directory. */
export const INDEX_FILE = 'index.sqlite';

/** How a signal is written in the queue and the index. */
export const SIGNAL_NUMBERS = { traces: 0, logs: 1, metrics: 2 } as const;

/** The signals by their number. */
export const SIGNALS = ['traces', 'logs', 'metrics'] as const;

/**
 * The index. All of it but `queue`, `metrics_request` and the summaries is made of the log and the packs, and summaries
 * are made of what it leads to. `item.block` 0 means: still in the log. A dead block is one whose items were merged into
 * another: its bytes stay in its pack until that is rewritten, which deleting the trace demands. `first_item` and `last_item` are the ids its bytes begin
 * and end with, unknown of one that an earlier version made. `trace.id` is the id of an item of
 * the trace, so that no other trace ever has it.
 */
export const CREATE_TABLES = `
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  trace INTEGER NOT NULL,
  signal INTEGER NOT NULL,
  span_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  time_ns INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  block INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX item_by_content ON item (trace, signal, span_id, digest);
CREATE TABLE frame (
  first_id INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);
CREATE INDEX frame_by_segment ON frame (segment);
CREATE TABLE pack (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, is_erasing INTEGER NOT NULL DEFAULT 0);
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  is_dead INTEGER NOT NULL DEFAULT 0,
  first_item INTEGER,
  last_item INTEGER
);
CREATE INDEX block_by_trace ON block (trace);
CREATE TABLE trace (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  trace_id BLOB NOT NULL,
  revision INTEGER NOT NULL,
  changed_by INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  kept TEXT,
  is_special INTEGER NOT NULL DEFAULT 0,
  summary_revision INTEGER NOT NULL DEFAULT 0,
  service TEXT,
  status TEXT,
  verdict TEXT,
  summary TEXT
);
CREATE UNIQUE INDEX trace_by_trace_id ON trace (tenant, trace_id);
CREATE INDEX trace_by_start ON trace (tenant, start_ns, trace_id) WHERE summary IS NOT NULL;
CREATE INDEX trace_by_receipt ON trace (received_ms);
CREATE TABLE facet (
  tenant TEXT NOT NULL,
  facet TEXT NOT NULL,
  value TEXT NOT NULL,
  trace INTEGER NOT NULL,
  PRIMARY KEY (trace, facet, value)
) WITHOUT ROWID;
CREATE INDEX facet_by_value ON facet (tenant, facet, value, trace);
CREATE TABLE metrics_request (id INTEGER PRIMARY KEY, format INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  destination TEXT NOT NULL,
  signal INTEGER NOT NULL,
  item INTEGER NOT NULL,
  passed TEXT NOT NULL DEFAULT '',
  queued_ms INTEGER
);
CREATE INDEX queue_by_destination ON queue (destination, id);
CREATE INDEX queue_by_item ON queue (item);
`;
