import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { countFound, snippetOf } from '../../query/snippet.ts';
import { foldWords } from './folded-words.ts';
import { matchExpression, readSought } from './sought-phrases.ts';

/** Whether a text is found by what somebody typed, in a table like that of the store, and marked where it is shown. */
function finds(typed: string, text: string): boolean {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE search USING fts5 (words, content = '', tokenize = 'ascii')");
  database.prepare('INSERT INTO search (rowid, words) VALUES (1, ?)').run(foldWords(text));
  const sought = readSought(typed);
  const found = database.prepare('SELECT rowid FROM search WHERE search MATCH ?').all(matchExpression(sought));
  database.close();
  expect(snippetOf(text, sought)?.some(({ isMatch }) => isMatch) ?? false).toBe(countFound(text, sought) > 0);
  expect(countFound(text, sought) === sought.length).toBe(found.length > 0);
  return found.length > 0;
}

describe('a word that somebody types', () => {
  it.each([
    ['안녕', '안녕하세요, 주문을 도와드릴까요?'],
    ['주문', '안녕하세요, 주문을 도와드릴까요?'],
    ['strasse', 'Die Lange Straße 7'],
    ['STRASSE', 'die STRASSE'],
    ['Straße', 'Lange Strasse 7'],
    ['Schlossstraße', 'die Schloßstraße'],
    ['Schloßstrasse', 'die Schlossstraße'],
    ['"lange strasse"', 'Lange Straße 7'],
    ['stras*', 'Straße'],
    ['strasse*', 'Straßenbahn'],
    ['message', 'a message'],
    ['Mississippi', 'the MISSISSIPPI'],
    ['ssssssssss', 'ßßßßß'],
  ])('finds %j in %j', (typed, text) => {
    expect(finds(typed, text)).toBe(true);
  });

  it.each([
    ['녕하', '안녕하세요'],
    ['"안녕"', '안녕하세요'],
    ['strase', 'Straße'],
    ['mess', 'a message'],
    ['straße', 'Straßenbahn'],
  ])('does not find %j in %j', (typed, text) => {
    expect(finds(typed, text)).toBe(false);
  });
});
