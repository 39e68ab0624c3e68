import { describe, expect, it } from 'vitest';
import { progressLine } from './progress-line.ts';

function written(isTTY: boolean): { said: string[]; at: (seconds: number, met: number) => void; end: () => void } {
  const said: string[] = [];
  let now = 0;
  const line = progressLine({ isTTY, write: (text) => said.push(text) }, () => now);
  const at = (seconds: number, met: number): void => {
    now = seconds * 1_000;
    line.tell({ met, recorded: 12 });
  };
  return { said, at, end: () => line.end() };
}

describe('progress', () => {
  it('is one line of the terminal, written over and taken away', () => {
    const { said, at, end } = written(true);
    for (const second of [1, 2, 3, 4]) at(second, second);
    end();
    end();
    expect(said).toEqual([
      '\u001b[2Kreplaying: 3 of at most 12 crossings, 3 s\r',
      '\u001b[2Kreplaying: 4 of at most 12 crossings, 4 s\r',
      '\u001b[2K',
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
    const { said, at } = written(true);
    for (const [second, met] of [
      [4, 5],
      [13, 5],
      [14, 5],
      [15, 6],
    ] as const) {
      at(second, met);
    }
    expect(said.map((line) => /crossings, (.*)\r/.exec(line)?.[1])).toEqual([
      '4 s',
      '13 s',
      '14 s; none for 10 s, Ctrl-C ends it and reports',
      '15 s',
    ]);
  });

  it('says nothing about what is over soon', () => {
    const { said, at, end } = written(true);
    at(2.9, 3);
    end();
    expect(said).toEqual([]);
  });
});
