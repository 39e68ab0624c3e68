const INDENT = '  ';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the string ends that begins at `from`: behind its closing quotation mark. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Lists and objects within this many characters stay on one line. */
const LINE_CHARACTERS_MAX = 60;

/** Where the list or object ends that begins at `from`, if it is short; else undefined. */
function shortEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length && at - from < LINE_CHARACTERS_MAX; ) {
    const letter = text[at] ?? '';
    if (letter === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (letter === '{' || letter === '[') depth += 1;
    if (letter === '}' || letter === ']') depth -= 1;
    at += 1;
    if (depth === 0) return at - from <= LINE_CHARACTERS_MAX ? at : undefined;
  }
  return undefined;
}

class Indenter {
  private readonly text: string;
  private readonly pieces: string[] = [];
  private depth = 0;
  private written = 0;

  constructor(text: string) {
    this.text = text;
  }

  write(charactersMax: number): string {
    const { text } = this;
    for (let at = 0; at < text.length && this.written <= charactersMax; ) {
      const letter = text[at] ?? '';
      const end = letter === '"' ? stringEnd(text, at) : at + 1;
      if (letter === '{' || letter === '[') at = this.open(at);
      else {
        if (letter === '}' || letter === ']') this.close(letter);
        else if (letter === ',') this.push(',', this.line());
        else if (letter === ':') this.push(': ');
        else if (!/\s/.test(letter)) this.push(text.slice(at, end));
        at = end;
      }
    }
    return this.pieces.join('');
  }

  private push(...pieces: readonly string[]): void {
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.written += piece.length;
    }
  }

  private line(): string {
    return `\n${INDENT.repeat(this.depth)}`;
  }

  private open(at: number): number {
    const end = shortEnd(this.text, at);
    if (end !== undefined) {
      this.push(this.text.slice(at, end));
      return end;
    }
    this.depth += 1;
    this.push(this.text[at] ?? '', this.line());
    return at + 1;
  }

  private close(letter: string): void {
    this.depth -= 1;
    this.push(this.line(), letter);
  }
}

/**
 * A JSON text on lines of its own, any other text as it is. Nothing of it is read and written again: a number of twenty digits has to be seen as it
 * was recorded. It may end after so many characters, where no more of it is looked at.
 */
export function prettyJson(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  return /^\s*[[{]/.test(text) && isJson(text) ? new Indenter(text).write(charactersMax) : text;
}
