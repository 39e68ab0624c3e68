/**
 * Tables made of summaries, added to the index after its first version: openIndex makes what is missing, and summaries fill
 * them. `drifting` names the inputs that had more than one outcome when one was added; whether they still have is asked anew.
 * `tally` counts traces by what is the matter with them, so that statistics never count rows. `text_erasure` names the rows of deleted traces
 * whose texts are still to leave the search file.
 */
export const CREATE_RUN_TABLES = `
CREATE TABLE IF NOT EXISTS usage (
  trace INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  PRIMARY KEY (trace, provider, model)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS observation (
  trace INTEGER NOT NULL,
  span_id BLOB NOT NULL,
  tenant TEXT NOT NULL,
  input BLOB NOT NULL,
  outcome BLOB NOT NULL,
  start_ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  service TEXT NOT NULL,
  circumstances TEXT NOT NULL,
  PRIMARY KEY (trace, span_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS observation_by_input ON observation (tenant, input, outcome);
CREATE TABLE IF NOT EXISTS drifting (
  tenant TEXT NOT NULL,
  input BLOB NOT NULL,
  PRIMARY KEY (tenant, input)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS text_erasure (trace INTEGER PRIMARY KEY);
`;

/** Columns that tables were given after their first version: table, name, definition. */
export const ADDED_COLUMNS: readonly (readonly [table: string, name: string, definition: string])[] = [
  ['trace', 'is_replay', 'INTEGER NOT NULL DEFAULT 0'],
  ['trace', 'summary_sum', 'INTEGER NOT NULL DEFAULT 0'],
  ['trace', 'summary_number', 'INTEGER NOT NULL DEFAULT 0'],
  ['queue', 'passed', "TEXT NOT NULL DEFAULT ''"],
  ['queue', 'queued_ms', 'INTEGER'],
  ['pack', 'is_hurried', 'INTEGER NOT NULL DEFAULT 0'],
  ['block', 'first_item', 'INTEGER'],
  ['block', 'last_item', 'INTEGER'],
];

/** Made once the columns are there, one after the other. The tenant of stale traces is in their index so that they can be counted by it alone. */
export const CREATE_RUN_INDEXES: readonly string[] = [
  'DROP INDEX IF EXISTS trace_stale',
  'CREATE INDEX IF NOT EXISTS trace_stale_by_change ON trace (changed_by, tenant) WHERE summary_revision <> revision',
  'CREATE INDEX IF NOT EXISTS trace_stale_by_start ON trace (tenant, start_ns, trace_id) WHERE summary_revision <> revision',
  'CREATE INDEX IF NOT EXISTS trace_by_summary_number ON trace (tenant, summary_number) WHERE summary IS NOT NULL',
];
