import { describe, expect, it } from 'vitest';
import { progressLine } from './progress-line.ts';

function written(
  isTTY: boolean,
  columns = 50,
): { said: string[]; at: (seconds: number, met: number) => void; end: () => void } {
  const said: string[] = [];
  let now = 0;
  const line = progressLine({ isTTY, columns, write: (text) => said.push(text) }, () => now);
  const at = (seconds: number, met: number): void => {
    now = seconds * 1_000;
    line.tell({ met, recorded: 12 });
  };
  return { said, at, end: () => line.end() };
}

describe('progress', () => {
  it('stands at the end of the line of the terminal, is written over and taken away, and leaves the cursor where it is', () => {
    const { said, at, end } = written(true);
    for (const second of [1, 2, 3, 10, 11]) at(second, 4);
    at(12, 5);
    end();
    end();
    expect(said).toEqual([
      '\u001b7\u001b[9Greplaying: 4 of at most 12 crossings, 3 s\u001b8',
      '\u001b7\u001b[8Greplaying: 4 of at most 12 crossings, 10 s\u001b8',
      '\u001b7\u001b[1Greplaying: 4 of at most 12 crossings, 11 s; none \u001b8',
      `\u001b7\u001b[1G${'replaying: 5 of at most 12 crossings, 12 s'.padStart(49)}\u001b8`,
      `\u001b7\u001b[8G${' '.repeat(42)}\u001b8`,
    ]);
  });

  it('is a plain line every fifteen seconds where there is no terminal', () => {
    const { said, at, end } = written(false);
    for (let second = 1; second <= 31; second += 1) at(second, second);
    end();
    expect(said).toEqual([
      'replaying: 15 of at most 12 crossings, 15 s\n',
      'replaying: 30 of at most 12 crossings, 30 s\n',
    ]);
  });

  it('says since when nothing was met, and how to end it, where the program goes on', () => {
    const { said, at } = written(true, 120);
    for (const [second, met] of [
      [4, 5],
      [13, 5],
      [14, 5],
      [15, 6],
    ] as const) {
      at(second, met);
    }
    expect(
      said.map((line) => line.slice(line.indexOf('crossings, ') + 'crossings, '.length, -'\u001b8'.length)),
    ).toEqual(['4 s', '13 s', '14 s; none for 10 s, Ctrl-C ends it', '15 s']);
  });

  it('says nothing about what is over soon', () => {
    const { said, at, end } = written(true);
    at(2.9, 3);
    end();
    expect(said).toEqual([]);
  });
});
