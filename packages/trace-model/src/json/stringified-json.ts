const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** One member of an object: its name, and how it is written with its value. */
interface Member {
  readonly name: string;
  readonly text: string;
}

function byName(left: Member, right: Member): number {
  return left.name < right.name ? -1 : 1;
}

function areInOrder(members: readonly Member[]): boolean {
  return members.every(({ name }, index) => index === 0 || (members[index - 1] as Member).name < name);
}

/**
 * Steps through a text that `JSON.stringify` wrote: no white space, every name once in its object, nothing to be checked. Long strings
 * are stepped over as fast as their end is found, which is several times as fast as parsing and writing them. Of another text it throws a
 * SyntaxError, or what it gives means nothing; it comes to an end with any.
 */
export class StringifiedJson {
  private readonly text: string;
  private at = 0;
  /** Not before `at`, once a string was asked for; the length of the text where there is none. */
  private backslash = -1;
  /** How many objects so far are not to be written as they stand. */
  private changes = 0;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * What `canonicalJson` gives of the parsed text, put together from slices of it. `isKept`: of an object, only these members of its own
   * are taken.
   */
  static canonical(text: string, isKept?: (member: string) => boolean): string {
    const json = new StringifiedJson(text);
    return text.charCodeAt(0) === OPEN_OBJECT ? json.object(isKept) : json.value();
  }

  /** Whether it is an array of one object. */
  static isOneObject(text: string): boolean {
    if (!text.startsWith('[{')) return false;
    const json = new StringifiedJson(text);
    json.at = 1;
    json.stepOver();
    return json.at === text.length - 1;
  }

  private get code(): number {
    return this.text.charCodeAt(this.at);
  }

  private value(): string {
    const { code } = this;
    if (code === OPEN_OBJECT) return this.object();
    if (code === OPEN_ARRAY) return this.array();
    const start = this.at;
    this.stepOverScalar(code);
    return this.text.slice(start, this.at);
  }

  /** Of items that are in order as they stand, nothing is put together. */
  private array(): string {
    const { text, at: start } = this;
    let written = '';
    let taken = start;
    this.at += 1;
    while (this.code !== CLOSE_ARRAY) {
      const { at, code, changes } = this;
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        const value = this.value();
        if (this.changes > changes) {
          written += text.slice(taken, at) + value;
          taken = this.at;
        }
      } else this.stepOverScalar(code);
      this.stepToNext(CLOSE_ARRAY);
    }
    this.at += 1;
    return written + text.slice(taken, this.at);
  }

  /** Long members are slices or put together of such, and copied by whoever reads the whole. */
  private object(isKept?: (member: string) => boolean): string {
    const { text, at: start, changes } = this;
    const members: Member[] = [];
    this.at += 1;
    while (this.code !== CLOSE_OBJECT) {
      const member = this.member();
      if (isKept?.(member.name) !== false) members.push(member);
      else this.changes += 1;
      this.stepToNext(CLOSE_OBJECT);
    }
    this.at += 1;
    if (!areInOrder(members)) {
      members.sort(byName);
      this.changes += 1;
    }
    if (this.changes === changes) return text.slice(start, this.at);
    let written = '';
    for (const member of members) written += written === '' ? member.text : `,${member.text}`;
    return `{${written}}`;
  }

  private member(): Member {
    const { text, at: start, changes } = this;
    const name = this.name();
    const end = this.at;
    const value = this.value();
    return { name, text: this.changes === changes ? text.slice(start, this.at) : text.slice(start, end) + value };
  }

  private stepToNext(closing: number): void {
    const { code } = this;
    if (code === COMMA) this.at += 1;
    else if (code !== closing) throw new SyntaxError(`no JSON at ${this.at}`);
  }

  /** Steps behind the colon. */
  private name(): string {
    const { text, at: start } = this;
    const isAsWritten = this.stepOverString();
    const name = text.slice(start + 1, this.at - 1);
    this.at += 1;
    return isAsWritten ? name : (JSON.parse(`"${name}"`) as string);
  }

  /** Whatever its members are. */
  private stepOver(): void {
    let depth = 0;
    do {
      const { code } = this;
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
      if (code === QUOTE) this.stepOverString();
      else this.at += 1;
    } while (depth > 0 && this.at < this.text.length);
  }

  private stepOverScalar(code: number): void {
    if (code === QUOTE) {
      this.stepOverString();
      return;
    }
    const { text } = this;
    let { at } = this;
    for (; at < text.length; at += 1) {
      const next = text.charCodeAt(at);
      if (next === COMMA || next === CLOSE_OBJECT || next === CLOSE_ARRAY) break;
    }
    this.at = at;
  }

  /** Whether nothing in it is escaped. */
  private stepOverString(): boolean {
    const { text } = this;
    let end = text.indexOf('"', this.at + 1);
    if (this.backslash < this.at) this.backslash = this.backslashFrom(this.at);
    const isAsWritten = this.backslash > end;
    while (!isAsWritten && this.isEscaped(end)) end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError(`no end of a text at ${this.at}`);
    this.at = end + 1;
    return isAsWritten;
  }

  private backslashFrom(start: number): number {
    const found = this.text.indexOf('\\', start);
    return found === -1 ? this.text.length : found;
  }

  /** An odd number of backslashes stands before what is escaped. */
  private isEscaped(index: number): boolean {
    let first = index;
    while (this.text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    return (index - first) % 2 === 1;
  }
}
