import type { Effect } from '@reenact/trace-model';

const reads: ReadonlySet<string> = new Set([
  'SELECT',
  'WITH',
  'VALUES',
  'TABLE',
  'SHOW',
  'DESCRIBE',
  'DESC',
  'EXPLAIN',
]);
// Of a statement that begins as a read: data-changing parts of WITH and EXPLAIN ANALYZE, SELECT INTO.
const writesInside = /\b(?:INSERT|UPDATE|DELETE|MERGE|INTO|CREATE|ALTER|DROP|TRUNCATE|REFRESH)\b/i;
// DuckDB does what it is to explain as it is done, also where that writes a file.
const explainsWriting = /^[\s(]*EXPLAIN\b.*\b(?:COPY|EXPORT|ATTACH)\b/is;
// SQLite's settings that are only looked at; every other PRAGMA may change the file or the connection.
const pragmaRead =
  /^\s*PRAGMA\s+(?:\w+\.)?(?:(?:table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list)\b|\w+_list\s*$|(?:user_version|schema_version|application_id|foreign_keys|journal_mode|encoding|page_count|page_size|integrity_check|quick_check|compile_options)\s*$)/i;
const locks = /\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b/gi;

// Texts (one with a doubled quote is two, for a choice for each character overflows the stack), quoted names, comments; MySQL runs what stands in a comment that begins with `/*!`.
const opaque = /\$(\w*)\$[\s\S]*?\$\1\$|'[^'\\]*'|"[^"\\]*"|`[^`]*`|--[^\n]*|#(?![>-])[^\n]*|\/\*(?!!)[\s\S]*?\*\//g;

function effectOfOne(statement: string): Effect {
  const [, verb = ''] = /^[\s(]*([a-z]+)/i.exec(statement) ?? [];
  if (verb.toUpperCase() === 'PRAGMA') return pragmaRead.test(statement) ? 'read' : 'write';
  if (explainsWriting.test(statement)) return 'write';
  return reads.has(verb.toUpperCase()) && !writesInside.test(statement.replace(locks, '')) ? 'read' : 'write';
}

/** First word of a statement, upper-case: SELECT, INSERT; undefined where it has none. */
export function statementVerb(text: string): string | undefined {
  return /^[\s(]*([a-z]+)/i.exec(text.replace(opaque, ' '))?.[1]?.toUpperCase();
}

/** First words of all statements in a text, upper-case. */
export function statementVerbs(text: string): readonly (string | undefined)[] {
  return text.replace(opaque, ' ').split(';').map(statementVerb);
}

/**
 * What running an SQL text does to the world: `read` where every statement in it only reads, else `write`. What cannot be
 * told counts as `write`, so a read may be taken for a write but never a write for a read, functions with side effects aside.
 */
export function statementEffect(text: string): Effect {
  const bare = text.replace(opaque, ' ');
  // A quote that is left over may hide anything: an escape, an unfinished text, a dialect of its own.
  if (/['"`\\]|\/\*/.test(bare)) return 'write';
  const statements = bare.split(';').filter((statement) => statement.trim() !== '');
  if (statements.length === 0) return 'write';
  return statements.every((statement) => effectOfOne(statement) === 'read') ? 'read' : 'write';
}
