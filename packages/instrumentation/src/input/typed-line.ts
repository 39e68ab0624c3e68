// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sends its keys as these.
const KEYS = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|./gsu;

type Edit = (line: TypedLine) => void;

/** Keys that change a line, as those have them which ask by `node:readline`. */
const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ['\u0001', (line) => line.goTo(0)],
  ['\u0002', (line) => line.goTo(line.cursor - 1)],
  ['\u0005', (line) => line.goTo(line.characters.length)],
  ['\u0006', (line) => line.goTo(line.cursor + 1)],
  ['\b', (line) => line.cut(line.cursor - 1, line.cursor)],
  ['\u000b', (line) => line.cut(line.cursor, line.characters.length)],
  ['\u0015', (line) => line.cut(0, line.cursor)],
  ['\u0017', (line) => line.cut(line.startOfWord, line.cursor)],
  ['\u007f', (line) => line.cut(line.cursor - 1, line.cursor)],
  ['\u001b[3~', (line) => line.cut(line.cursor, line.cursor + 1)],
  ['\u001b[C', (line) => line.goTo(line.cursor + 1)],
  ['\u001b[D', (line) => line.goTo(line.cursor - 1)],
  ['\u001b[F', (line) => line.goTo(line.characters.length)],
  ['\u001b[H', (line) => line.goTo(0)],
]);

class TypedLine {
  readonly characters: string[] = [];
  /** Where the next character goes. */
  cursor = 0;

  get startOfWord(): number {
    let start = this.cursor;
    while (start > 0 && /\s/u.test(this.characters[start - 1] ?? '')) start -= 1;
    while (start > 0 && /\S/u.test(this.characters[start - 1] ?? '')) start -= 1;
    return start;
  }

  goTo(place: number): void {
    this.cursor = Math.min(Math.max(place, 0), this.characters.length);
  }

  cut(from: number, to: number): void {
    const start = Math.max(from, 0);
    this.characters.splice(start, Math.max(to - start, 0));
    this.cursor = start;
  }

  hit(key: string): void {
    const edit = edits.get(key);
    if (edit !== undefined) edit(this);
    // Other codes move through a history, or frame what was pasted.
    else if (key.length === 1 || !key.startsWith('\u001b')) {
      this.characters.splice(this.cursor, 0, key);
      this.cursor += 1;
    }
  }
}

/** The line that keys of a terminal have made: what was typed wrong and erased is not in it. */
export function typedLine(keys: string): string {
  const line = new TypedLine();
  for (const [key] of keys.matchAll(KEYS)) line.hit(key);
  return line.characters.join('');
}
