import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementEffect, statementVerb } from './statement-effect.ts';

describe('the effect of a statement', () => {
  it.each([
    'SELECT 1',
    '  (select * from orders) ',
    "SELECT 'DELETE FROM orders; it''s text' AS words",
    '-- DROP TABLE x\nSELECT 1 /* UPDATE y */;',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'EXPLAIN SELECT 1',
    'SELECT $tag$ INSERT INTO x $tag$',
    'SELECT "update" FROM "delete"',
    'SELECT * FROM orders FOR UPDATE',
    'PRAGMA table_info(orders)',
    'pragma user_version',
    'SELECT 1; SELECT 2;',
  ])('is read: %s', (text) => expect(statementEffect(text)).toBe('read'));

  it.each([
    'INSERT INTO x VALUES (1)',
    'update x set y = 1',
    'WITH gone AS (DELETE FROM x RETURNING *) SELECT * FROM gone',
    'SELECT * INTO copy FROM x',
    'SELECT 1; DROP TABLE x',
    "SELECT 'it\\'s'; DROP TABLE x --'",
    'EXPLAIN ANALYZE DELETE FROM x',
    "explain analyze copy facts to 'f.csv'",
    'PRAGMA user_version = 5',
    'PRAGMA journal_mode(WAL)',
    'PRAGMA optimize',
    'BEGIN',
    'VACUUM',
    'SELECT 1 /*! ; DROP TABLE x */',
    "SELECT 'unfinished",
    'dance',
    '',
  ])('is write: %s', (text) => expect(statementEffect(text)).toBe('write'));

  it('is never taken for a read where a write follows, whatever stands before', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/['"`\\$#]|--|\/\*/.test(text));
        expect(statementEffect(`${text};\nDELETE FROM orders`)).toBe('write');
      }),
    );
  });

  it('is told of a statement with megabytes in it, and of doubled quotes', () => {
    const megabytes = 'a'.repeat(12_000_000);
    expect(statementEffect(`SELECT '${megabytes}', 'it''s; DELETE'`)).toBe('read');
    expect(statementEffect(`SELECT '${"it''s;".repeat(2_000_000)}'`)).toBe('read');
    expect(statementEffect(`INSERT INTO files VALUES ('${megabytes}')`)).toBe('write');
  });

  it('comes with the verb people look for', () => {
    expect(['/* hint */ select 1', '(values (1))', '42'].map(statementVerb)).toEqual(['SELECT', 'VALUES', undefined]);
  });
});
