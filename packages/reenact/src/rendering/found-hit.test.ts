import { describe, expect, it } from 'vitest';
import { printHit } from './found-hit.ts';

const words = ['gave the order', ' to ', 'sell', ` 1,000 shares of ${'x'.repeat(30)} at last`];
const hit = {
  spanId: 'cd'.repeat(8),
  part: 'input',
  snippet: words.map((text) => ({ text, isMatch: text === 'sell' })),
} as const;

function linesOf(columns: number, wraps: boolean, colour = false): string[] {
  const lines: string[] = [];
  const out = (text: string): void => void lines.push(text);
  printHit(hit, { out, err: out, data: out, colour, columns, wraps });
  return lines;
}

describe('a place where words were found', () => {
  it('is one line where there is room, and in a pipe', () => {
    const line = `    cdcdcdcdcdcdcdcd input  ${words.join('')}`;
    expect([linesOf(200, true), linesOf(30, false)]).toEqual([[line], [line]]);
  });

  it.each([60, 40, 30, 28])('is wrapped by none of its lines at %d columns, and whole', (columns) => {
    const [place = '', ...lines] = linesOf(columns, true);
    expect(place).toBe('    cdcdcdcdcdcdcdcd input');
    expect(Math.max(place.length, ...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(
      lines
        .map((line) => line.trim())
        .join('')
        .replaceAll(' ', ''),
    ).toBe(words.join('').replaceAll(' ', ''));
  });

  it.each([21, 22])('has no character in two of its lines at %d columns', (columns) => {
    const lines: string[] = [];
    const out = (text: string): void => void lines.push(text);
    const long = { ...hit, snippet: [{ text: '😀'.repeat(40), isMatch: true }] };
    printHit(long, { out, err: out, data: out, colour: false, columns, wraps: true });
    expect(lines.filter((line) => !line.isWellFormed())).toEqual([]);
    expect(
      lines
        .slice(1)
        .map((line) => line.trim())
        .join(''),
    ).toBe('😀'.repeat(40));
  });

  it('is styled where it matches, on whichever line that is', () => {
    const painted = linesOf(30, true, true).join('\n');
    expect(painted).toContain('\u001b[1msell\u001b[22m');
  });
});
