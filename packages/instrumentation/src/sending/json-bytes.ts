/** Below it, comparing is no cheaper than writing. */
const LONG_CHARACTERS = 256;
const BYTES_AT_FIRST = 262_144;
/** More than an ordinary request has is let go of again. */
const BYTES_KEPT_MAX = 8_388_608;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/** A text that was written, and where the bytes of its JSON are. */
interface WrittenText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function isInBrackets(outer: string, inner: string): boolean {
  return (
    outer.length === inner.length + 2 && outer.startsWith('[') && outer.endsWith(']') && outer.slice(1, -1) === inner
  );
}

/**
 * Writes JSON as bytes, into memory that is used again: no text of the whole is put together. A long text that comes again is escaped once
 * and its bytes are copied: what a span says for people is often its payload, or the one object in the payload's list.
 */
export class JsonBytes {
  private bytes = Buffer.allocUnsafeSlow(BYTES_AT_FIRST);
  private length = 0;
  /** Short texts that are written together with the next long one. */
  private short = '';
  private written: WrittenText[] = [];

  /** Adds JSON as it is. */
  add(json: string): void {
    this.short += json;
  }

  /** Adds a text as JSON. */
  addText(text: string): void {
    if (text.length < LONG_CHARACTERS) this.short += JSON.stringify(text);
    else if (!this.addAgain(text)) {
      this.flush();
      const start = this.length;
      this.write(JSON.stringify(text));
      this.written.push({ text, start, end: this.length });
    }
  }

  /** Texts are compared by `===`, which is many times as fast as `startsWith` for long ones. */
  private addAgain(text: string): boolean {
    for (const { text: known, start, end } of this.written) {
      if (known.length === text.length && known === text) this.copy('', start, end, '');
      else if (isInBrackets(known, text)) this.copy('"', start + 2, end - 2, '"');
      else if (isInBrackets(text, known)) this.copy('"[', start + 1, end - 1, ']"');
      else continue;
      return true;
    }
    return false;
  }

  private copy(before: string, start: number, end: number, behind: string): void {
    this.short += before;
    this.flush();
    this.makeRoom(end - start);
    this.bytes.copyWithin(this.length, start, end);
    this.length += end - start;
    this.short = behind;
  }

  /** What was added is not looked for again in what comes next. */
  endPart(): void {
    this.flush();
    if (this.written.length > 0) this.written = [];
  }

  /** A copy of what was added since the last time, for as long as somebody needs it. */
  take(): Uint8Array {
    this.endPart();
    const taken = new Uint8Array(this.bytes.subarray(0, this.length));
    this.clear();
    return taken;
  }

  /** Forgets what was added. */
  clear(): void {
    this.length = 0;
    this.short = '';
    this.written = [];
    if (this.bytes.length > BYTES_KEPT_MAX) this.bytes = Buffer.allocUnsafeSlow(BYTES_AT_FIRST);
  }

  private flush(): void {
    if (this.short === '') return;
    this.write(this.short);
    this.short = '';
  }

  private write(json: string): void {
    this.makeRoom(json.length * UTF8_BYTES_PER_UNIT_MAX);
    this.length += this.bytes.write(json, this.length);
  }

  private makeRoom(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
