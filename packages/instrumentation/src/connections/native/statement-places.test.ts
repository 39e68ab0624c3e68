import { expect, it } from 'vitest';
import { statementPlaces } from './statement-places.ts';

function placesOf(text: string): unknown[] {
  return statementPlaces(text).map((effect) => {
    if (effect.type === 'file') return effect.location ?? 'somewhere';
    return effect.type === 'address' ? `to ${effect.address}` : effect.type;
  });
}

it('finds every file that a statement opens or writes beside its database', () => {
  expect(placesOf("ATTACH ':memory:' AS a; ATTACH DATABASE 'it''s.db' AS b")).toEqual(["it's.db"]);
  expect(placesOf("ATTACH IF NOT EXISTS 'c.duckdb' (TYPE duckdb)")).toEqual(['c.duckdb']);
  expect(placesOf("VACUUM main INTO 'copy.db'")).toEqual(['copy.db']);
  expect(placesOf("COPY (SELECT 'a to b' AS t) TO 'out.csv' (FORMAT csv)")).toEqual(['out.csv']);
  expect(placesOf('copy facts\n to $$out.parquet$$')).toEqual(['out.parquet']);
  expect(placesOf("EXPORT DATABASE 'kept' (FORMAT parquet); EXPORT DATABASE facts TO 'other'")).toEqual([
    'kept',
    'other',
  ]);
  expect(placesOf("EXPLAIN ANALYZE COPY facts TO 'explained.csv'")).toEqual(['explained.csv']);
});

it('tells addresses, and says where it cannot tell the place', () => {
  expect(placesOf("ATTACH 'md:facts'; COPY facts TO 's3://bucket/facts.parquet'")).toEqual([
    'to md:facts',
    'to s3://bucket/facts.parquet',
  ]);
  expect(placesOf('ATTACH ? AS other')).toEqual(['somewhere']);
  expect(placesOf('COPY facts TO $1')).toEqual(['somewhere']);
});

it('finds nothing where nothing else is written', () => {
  for (const text of [
    "SELECT 'attach' FROM t -- ATTACH 'x.db'",
    "INSERT INTO notes VALUES ('copy a to b')",
    "COPY facts FROM 'in.csv'",
    'COPY FROM DATABASE a TO b',
    "ATTACH 'facts.duckdb' AS facts (READ_ONLY)",
    "ATTACH 'facts.db' (TYPE sqlite, READ_ONLY true)",
    "ATTACH ':memory:' AS scratch",
  ]) {
    expect([text, placesOf(text)]).toEqual([text, []]);
  }
  expect(placesOf("ATTACH 'facts.duckdb' (READ_ONLY false)")).toEqual(['facts.duckdb']);
});

it('comes to an end where a statement holds megabytes, and reads doubled quotes', () => {
  const text = `INSERT INTO files VALUES ('${'a'.repeat(12_000_000)}', '${"''".repeat(4_000_000)}')`;
  expect(placesOf(text)).toEqual([]);
  expect(placesOf(`${text}; ATTACH 'it''s.db'`)).toEqual(["it's.db"]);
});
