/** Version of the record layouts of docs/adr/0005-collector-store-sqlite.md. */
export const FORMAT_VERSION = 1;

/**
 * Version of what a run's summary holds, kept in SQLite's `user_version`. Raise it when summaries change: every trace is
 * then summarised again at the next start.
 */
export const SUMMARY_VERSION = 2;

/** Name of the database file in the data directory. */
export const DATABASE_FILE = 'recordings.sqlite';

/** Creates format version 1. Payload columns come last, so that reading the others never touches their pages. */
export const CREATE_TABLES = `
CREATE TABLE format_version (version INTEGER NOT NULL);
CREATE TABLE part (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  format INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE span (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  trace_id BLOB NOT NULL,
  span_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  start_ns INTEGER NOT NULL,
  is_ended INTEGER NOT NULL,
  fullness INTEGER NOT NULL,
  format INTEGER NOT NULL,
  resource_part INTEGER NOT NULL REFERENCES part (id),
  resource_schema_url TEXT NOT NULL,
  scope_part INTEGER NOT NULL REFERENCES part (id),
  scope_schema_url TEXT NOT NULL,
  received_ms INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (tenant, trace_id, span_id, digest)
);
CREATE INDEX span_by_span_id ON span (tenant, span_id);
CREATE TABLE log_record (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  trace_id BLOB NOT NULL,
  span_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  time_ns INTEGER NOT NULL,
  format INTEGER NOT NULL,
  resource_part INTEGER NOT NULL REFERENCES part (id),
  resource_schema_url TEXT NOT NULL,
  scope_part INTEGER NOT NULL REFERENCES part (id),
  scope_schema_url TEXT NOT NULL,
  received_ms INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (tenant, trace_id, span_id, digest)
);
CREATE TABLE trace (
  tenant TEXT NOT NULL,
  trace_id BLOB NOT NULL,
  revision INTEGER NOT NULL,
  changed_by_span INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  summary_revision INTEGER NOT NULL DEFAULT 0,
  service TEXT,
  status TEXT,
  verdict TEXT,
  summary TEXT,
  PRIMARY KEY (tenant, trace_id)
) WITHOUT ROWID;
CREATE INDEX trace_by_start ON trace (tenant, start_ns, trace_id) WHERE summary IS NOT NULL;
CREATE INDEX trace_stale ON trace (changed_by_span) WHERE summary_revision <> revision;
CREATE TABLE facet (
  tenant TEXT NOT NULL,
  trace_id BLOB NOT NULL,
  facet TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (tenant, trace_id, facet, value)
) WITHOUT ROWID;
CREATE TABLE metrics_request (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  format INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  destination TEXT NOT NULL,
  signal INTEGER NOT NULL,
  item INTEGER NOT NULL
);
CREATE INDEX queue_by_destination ON queue (destination, id);
CREATE INDEX queue_by_item ON queue (item) WHERE signal = 2;
`;

/** How a slice's encoding is written in a format column. */
export const FORMAT_NUMBERS = { protobuf: 0, json: 1 } as const;

/** The encodings by their number. */
export const FORMATS = ['protobuf', 'json'] as const;

/** How a signal is written in the queue. */
export const SIGNAL_NUMBERS = { traces: 0, logs: 1, metrics: 2 } as const;

/** The signals by their number. */
export const SIGNALS = ['traces', 'logs', 'metrics'] as const;
