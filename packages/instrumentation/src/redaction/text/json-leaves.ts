import { REDACTED_JSON_DEPTH_MAX } from '../../limits.ts';
import { namedBySchema } from './schema-names.ts';

/** One text or long number of a JSON document, and where its literal stands. */
export interface JsonLeaf {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Members and indices from the top. */
  readonly steps: readonly string[];
  readonly isNumber: boolean;
  /** The member it is the value of, or belongs to as an item of a list; undefined at the top. */
  readonly name: string | undefined;
  /** The text that says what this one is, where that is no member name: the first of a pair, `name` beside `value`. */
  readonly calledBy: string | undefined;
  /** It is the base64 of recorded bytes. */
  readonly isBytes: boolean;
}

/** The name of a member of a JSON document, and where its literal stands. */
export interface JsonName {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Members and indices from the top, the last of which is this name. */
  readonly steps: readonly string[];
}

/** What the member is called that recorded bytes are in, as base64. */
export const BYTES_MEMBER = 'base64';

class NotJson extends SyntaxError {}

/** Made once: most texts are no JSON, and each new error would cost a look at the stack. */
const notJson = new NotJson();

interface Place {
  readonly steps: readonly string[];
  readonly name: string | undefined;
  readonly calledBy: string | undefined;
  readonly isBytes: boolean;
  /** A list of pairs of name and value: the entries of a Map or of headers. */
  readonly holdsPairs: boolean;
}

const top: Place = { steps: [], name: undefined, calledBy: undefined, isBytes: false, holdsPairs: false };
const whiteSpace = /[ \t\n\r]*/y;
const scalar = /-?\d[\d.eE+-]*|true|false|null/y;
/** Names of headers that are told as lists of name and value by everybody. */
const headerName =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|x-goog-api-key|x-auth-token)$/i;
const namingMember = /^(?:[Nn]ame|[Kk]ey|[Hh]eader)$/;
/** Lists of cookies, each with its name and its value, as browsers and HAR files have them. */
const cookieList = /^cookies$/i;
/** What a Secret of Kubernetes holds is secret, whatever it is called. */
const dataOfSecret = /^(?:data|stringData)$/;
/** Of a JSON web key, what is not for everybody (RFC 7518, section 6). */
const partOfPrivateKey = /^(?:d|p|q|dp|dq|qi|priv)$/;
const partOfSharedKey = /^k$/;
const commandOption = /^--?([A-Za-z][A-Za-z0-9-]+)$/;

/** Reads the literals of one document, keeping everything else of its text as it is. */
class LeafReader {
  readonly leaves: JsonLeaf[] = [];
  private readonly names: JsonName[] | undefined;
  private readonly text: string;
  private position: number;
  private readonly end: number;

  constructor(text: string, start: number, end: number, names: JsonName[] | undefined) {
    this.names = names;
    this.text = text;
    this.position = start;
    this.end = end;
  }

  read(): JsonLeaf[] {
    this.value(top);
    this.skip();
    if (this.position < this.end) throw notJson;
    return this.leaves;
  }

  private skip(): void {
    whiteSpace.lastIndex = this.position;
    whiteSpace.exec(this.text);
    this.position = Math.min(whiteSpace.lastIndex, this.end);
  }

  private next(): string {
    this.skip();
    return this.position < this.end ? (this.text[this.position] ?? '') : '';
  }

  private take(character: string): void {
    if (this.next() !== character) throw notJson;
    this.position += 1;
  }

  private value(place: Place): string | undefined {
    if (place.steps.length > REDACTED_JSON_DEPTH_MAX) throw notJson;
    switch (this.next()) {
      case '{':
        this.members(place);
        return undefined;
      case '[':
        this.items(place);
        return undefined;
      case '"':
        return this.textLeaf(place);
    }
    this.scalarLeaf(place);
    return undefined;
  }

  private literal(): string {
    const { text, position: start } = this;
    let close = text.indexOf('"', start + 1);
    while (close >= 0 && close < this.end && isEscaped(text, close, start)) close = text.indexOf('"', close + 1);
    if (close < 0 || close >= this.end) throw notJson;
    this.position = close + 1;
    const inner = text.slice(start + 1, close);
    return inner.includes('\\') ? (JSON.parse(text.slice(start, close + 1)) as string) : inner;
  }

  private textLeaf(place: Place): string {
    const start = this.position;
    const value = this.literal();
    const { steps, name, calledBy, isBytes } = place;
    this.leaves.push({ start, end: this.position, value, steps, isNumber: false, name, calledBy, isBytes });
    return value;
  }

  private scalarLeaf(place: Place): void {
    scalar.lastIndex = this.position;
    const found = scalar.exec(this.text)?.[0];
    if (found === undefined) throw notJson;
    const start = this.position;
    this.position += found.length;
    if (!/^[-\d]/.test(found)) return;
    const { steps, name, calledBy } = place;
    this.leaves.push({
      start,
      end: this.position,
      value: found,
      steps,
      isNumber: true,
      name,
      calledBy,
      isBytes: false,
    });
  }

  private members({ steps, name }: Place): void {
    this.take('{');
    const firstLeaf = this.leaves.length;
    let tag: string | undefined;
    let called: string | undefined;
    let kind: string | undefined;
    let keyType: string | undefined;
    let uncalled: number | undefined;
    for (let isFirst = true; this.next() !== '}'; isFirst = false) {
      if (!isFirst) this.take(',');
      if (this.next() !== '"') throw notJson;
      const start = this.position;
      const key = this.literal();
      const inside = [...steps, key];
      this.names?.push({ start, end: this.position, value: key, steps: inside });
      this.take(':');
      const isValue = key === 'value' || key === 'Value';
      const isCookie = isValue && name !== undefined && cookieList.test(name);
      if (isValue && called === undefined && !isCookie) uncalled = this.leaves.length;
      const value = this.value({
        steps: inside,
        name: namedBySchema(inside) ?? key,
        calledBy: isCookie ? 'cookie' : isValue ? called : undefined,
        isBytes: tag === 'bytes' && key === BYTES_MEMBER,
        holdsPairs: key === 'entries' && (tag === 'map' || tag === 'headers'),
      });
      if (key === '$') tag = value;
      if (key === 'kind') kind = value;
      if (key === 'kty') keyType = value;
      if (namingMember.test(key)) called = value;
    }
    this.take('}');
    if (uncalled !== undefined && called !== undefined) this.callLeaf(uncalled, called, steps.length + 1);
    if (kind === 'Secret') this.nameSecrets(firstLeaf, steps.length, dataOfSecret);
    if (keyType !== undefined)
      this.nameSecrets(firstLeaf, steps.length, keyType === 'oct' ? partOfSharedKey : partOfPrivateKey);
  }

  /** A value that stands before what says what it is. */
  private callLeaf(index: number, calledBy: string, depth: number): void {
    const leaf = this.leaves[index];
    if (leaf?.steps.length === depth && /^value$/i.test(leaf.steps.at(-1) ?? ''))
      this.leaves[index] = { ...leaf, calledBy };
  }

  /** What a member holds, by what that is called in an object of this kind. */
  private nameSecrets(first: number, depth: number, secret: RegExp): void {
    for (let index = first; index < this.leaves.length; index += 1) {
      const leaf = this.leaves[index];
      if (leaf !== undefined && leaf.name !== 'secret' && secret.test(leaf.steps[depth] ?? ''))
        this.leaves[index] = { ...leaf, name: 'secret' };
    }
  }

  private items({ steps, name, holdsPairs }: Place): void {
    this.take('[');
    const isPair = name === pairName;
    let before: string | undefined;
    for (let index = 0; this.next() !== ']'; index += 1) {
      if (index > 0) this.take(',');
      before = this.value({
        steps: [...steps, String(index)],
        name: holdsPairs ? pairName : isPair ? undefined : name,
        calledBy: calledBy(before, index, isPair),
        isBytes: false,
        holdsPairs: false,
      });
    }
    this.take(']');
  }
}

/** Stands for the name of a list that is a pair; no member is called that. */
const pairName = '\u0000pair';

function calledBy(before: string | undefined, index: number, isPair: boolean): string | undefined {
  if (before === undefined) return undefined;
  if (isPair) return index === 1 ? before : undefined;
  if (headerName.test(before)) return before;
  return commandOption.exec(before)?.[1];
}

/** Whether a text that is an item of a list says what the next item is, whatever list it is. */
export function introducesNext(item: string): boolean {
  return headerName.test(item) || commandOption.test(item);
}

function isEscaped(text: string, quote: number, from: number): boolean {
  let backslashes = 0;
  for (let index = quote - 1; index > from && text[index] === '\\'; index -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * The texts and numbers of the JSON document between `start` and `end`; undefined where it is none, or nests too deep. The names of
 * its members are put into `names`.
 */
export function jsonLeaves(text: string, start = 0, end = text.length, names?: JsonName[]): JsonLeaf[] | undefined {
  try {
    return new LeafReader(text, start, end, names).read();
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** The JSON pointer of a leaf. */
export function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The text a leaf's secrets are looked for in: of recorded bytes, one character per byte. */
export function searchedValue({ isBytes, value }: JsonLeaf): string {
  return isBytes ? Buffer.from(value, 'base64').toString('latin1') : value;
}
