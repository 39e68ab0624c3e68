import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTE_PATHS_MAX } from '../limits.ts';
import { GatheredNotes } from './gathered-notes.ts';

function gathered(notes: readonly (readonly [text: string, path?: string])[]): GatheredNotes {
  const result = new GatheredNotes();
  for (const [text, path] of notes) result.add(text, path);
  return result;
}

function pathsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 'agent:a/tool:b' : `agent:a/tool:b#${index + 1}`));
}

function cutNotes(count: number): GatheredNotes {
  return gathered(pathsOf(count).map((path) => [`${path} was cut.`, path]));
}

describe('notes of one kind', () => {
  it('are one line, which tells how many crossings there are and names the first three', () => {
    expect(cutNotes(1).lines()).toEqual(['agent:a/tool:b was cut.']);
    const same = 'agent:a/tool:b was cut. The same is true of';
    expect(cutNotes(2).lines()).toEqual([`${same} one more crossing: agent:a/tool:b#2.`]);
    expect(cutNotes(3).lines()).toEqual([`${same} 2 more crossings: agent:a/tool:b#2 and agent:a/tool:b#3.`]);
    const two = 'agent:a/tool:b#2, agent:a/tool:b#3';
    expect(cutNotes(4).lines()).toEqual([`${same} 3 more crossings: ${two} and 1 other.`]);
    expect(cutNotes(201).lines()).toEqual([`${same} 200 more crossings: ${two} and 198 others.`]);
  });

  it('list their crossings for programs, up to a limit, and count all of them', () => {
    expect(cutNotes(1).repeated()).toEqual([]);
    const many = cutNotes(NOTE_PATHS_MAX + 7);
    expect(many.repeated()).toEqual([
      { text: many.lines()[0], paths: pathsOf(NOTE_PATHS_MAX), pathsTotal: NOTE_PATHS_MAX + 7 },
    ]);
  });

  it('that are said of one crossing again count once', () => {
    const twice = gathered([...pathsOf(2), ...pathsOf(2)].map((path) => [`${path} was cut.`, path]));
    expect(twice.lines()).toEqual(cutNotes(2).lines());
    expect(twice.repeated()).toMatchObject([{ pathsTotal: 2 }]);
  });
});

describe('notes of several kinds', () => {
  it('stay apart, each where the first of its kind came', () => {
    const notes = gathered([
      ['What t:a sent was cut at /0.', 't:a'],
      ['Timers fired early.', 't:a'],
      ['What t:b sent was cut at /1.', 't:b'],
      ['What t:c sent was cut at /0.', 't:c'],
      ['Timers fired early.', 't:c'],
    ]);
    expect(notes.lines()).toEqual([
      'What t:a sent was cut at /0. The same is true of one more crossing: t:c.',
      'Timers fired early.',
      'What t:b sent was cut at /1.',
    ]);
    expect(notes.repeated()).toMatchObject([{ paths: ['t:a', 't:c'] }]);
  });

  it('that only begin alike are not taken for one', () => {
    const notes = gathered([
      ['t:a was called after t:root.', 't:a'],
      ['t:a#2 was called after t:other.', 't:a#2'],
      // The words of the one, and the path of neither.
      ['[""," was cut"]'],
      ['t:a was cut', 't:a'],
    ]);
    expect(notes.lines()).toHaveLength(4);
    expect(notes.repeated()).toEqual([]);
  });

  it('lose no note and invent none, whatever is noted in whatever order', () => {
    const kinds = ['(path) was cut.', 'The end of (path) is open; (path) has none.', 'All is virtual.'] as const;
    const note = fc.record({ kind: fc.constantFrom(...kinds), number: fc.nat({ max: 8 }) });
    const check = (noted: readonly { readonly kind: string; readonly number: number }[]): void => {
      const notes = gathered(
        noted.map(({ kind, number }) => [kind.replaceAll('(path)', `t:${number}`), `t:${number}`] as const),
      );
      const lines = notes.lines();
      expect(lines).toHaveLength(new Set(noted.map(({ kind }) => kind)).size);
      for (const kind of kinds.slice(0, 2)) {
        const paths = [...new Set(noted.filter((each) => each.kind === kind).map(({ number }) => `t:${number}`))];
        const text = lines.find((line) => line.startsWith(kind.replaceAll('(path)', paths[0] ?? '')));
        expect(text === undefined).toBe(paths.length === 0);
        const repeated = notes.repeated().find((each) => each.text === text);
        expect(repeated?.paths ?? paths.slice(0, 1)).toEqual(paths);
      }
    };
    fc.assert(fc.property(fc.array(note), check));
  });
});
