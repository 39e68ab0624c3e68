import type { FoundRun } from '@reenact/trace-model/collector-api';
import { paint, type Terminal } from '../terminal/terminal.ts';

const MARGIN = '    ';

/** What of a snippet fits on a line, the words that were looked for in the terminal's strong style. */
function snippetIn(
  snippet: FoundRun['hits'][number]['snippet'],
  from: number,
  to: number,
  terminal: Pick<Terminal, 'colour'>,
): string {
  let position = 0;
  return snippet
    .map(({ text, isMatch }) => {
      const piece = text.slice(Math.max(0, from - position), Math.max(0, to - position));
      position += text.length;
      return isMatch && piece !== '' ? paint(terminal, 'strong', piece) : piece;
    })
    .join('');
}

/** The place before a character, where this one is in the middle of one. */
function betweenCharacters(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place;
}

/** Where each line of a text begins that is broken at spaces, and its end. */
function brokenAt(text: string, width: number): number[] {
  const ends: number[] = [];
  for (let from = 0; from < text.length; from = ends.at(-1) ?? text.length) {
    const space = text.lastIndexOf(' ', from + width);
    ends.push(
      text.length - from <= width ? text.length : space > from ? space + 1 : betweenCharacters(text, from + width),
    );
  }
  return ends;
}

/** One place where words were found: on one line, or with its text below where the terminal would wrap that. */
export function printHit({ spanId, part, snippet }: FoundRun['hits'][number], terminal: Terminal): void {
  const place = `${MARGIN}${paint(terminal, 'quiet', `${spanId} ${part}`)}`;
  const text = snippet.map(({ text: piece }) => piece).join('');
  const isWhole = MARGIN.length + `${spanId} ${part}  ${text}`.length <= terminal.columns;
  if (!terminal.wraps || isWhole) {
    terminal.out(`${place}  ${snippetIn(snippet, 0, text.length, terminal)}`);
    return;
  }
  terminal.out(place);
  let from = 0;
  for (const to of brokenAt(text, Math.max(2, terminal.columns - MARGIN.length - 2))) {
    terminal.out(`${MARGIN}  ${snippetIn(snippet, from, to, terminal).trimEnd()}`);
    from = to;
  }
}
