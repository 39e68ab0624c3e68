const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
/** In ASCII, each closing bracket is its opening one plus two. */
const TO_CLOSING = 2;
const LOWER_CASE = 0x20;
const LETTER_E = 0x65;
const LETTER_U = 0x75;

/** No value of JSON stands there. */
const NO_JSON = -1;

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));
const HEX_ESCAPE = /[0-9a-fA-F]{4}/y;

/** Whether `JSON.parse` takes a text (RFC 8259). Builds nothing, so that it takes no memory beside the text; nesting takes a number a level. */
export function isJson(text: string): boolean {
  const end = jsonValueEnd(text, 0);
  return end !== NO_JSON && jsonSpaceEnd(text, end) === text.length;
}

/** Where the white space that begins there ends. */
export function jsonSpaceEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at;
    at += 1;
  }
}

/** Where the value ends that begins there, perhaps after white space; `NO_JSON` where there is none, or a broken one. */
export function jsonValueEnd(text: string, from: number): number {
  const walk = new JsonWalk(text, from);
  while (walk.next());
  return walk.position;
}

/** Steps from scalar to scalar of one value; names of members are stepped over. */
export class JsonWalk {
  /** Where the scalar stands that was reached: empty for an empty array or object. */
  start = 0;
  end = 0;
  /** How far the text was read; `NO_JSON` once it was found broken. */
  position: number;
  private readonly text: string;
  private readonly open: number[] = [];
  private hasEnded = false;

  constructor(text: string, from: number) {
    this.text = text;
    this.position = from;
  }

  /** Steps to the next scalar; false behind the last, and where the text is broken. */
  next(): boolean {
    if (this.hasEnded) return false;
    const { text, open } = this;
    let at = jsonSpaceEnd(text, this.position);
    let code = text.charCodeAt(at);
    while (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      const inside = jsonSpaceEnd(text, at + 1);
      if (text.charCodeAt(inside) === code + TO_CLOSING) return this.leave(inside, inside, inside + 1);
      open.push(code);
      at = code === OPEN_OBJECT ? keyEnd(text, inside) : inside;
      if (at === NO_JSON) return this.leave(0, 0, NO_JSON);
      at = jsonSpaceEnd(text, at);
      code = text.charCodeAt(at);
    }
    const end = scalarEnd(text, at, code);
    return this.leave(at, end, end);
  }

  /** Steps over what closes behind a scalar. */
  private leave(start: number, end: number, behind: number): boolean {
    this.start = start;
    this.end = end;
    this.position = behind === NO_JSON ? NO_JSON : followingValue(this.text, behind, this.open);
    this.hasEnded = this.position === NO_JSON || this.open.length === 0;
    return this.position !== NO_JSON;
  }
}

/** Closes what ends behind a value: the place of the next value, or, where nothing is open any more, that of what comes behind all. */
function followingValue(text: string, from: number, open: number[]): number {
  let at = from;
  while (open.length > 0) {
    at = jsonSpaceEnd(text, at);
    const code = text.charCodeAt(at);
    const around = open[open.length - 1] as number;
    if (code === COMMA) return around === OPEN_OBJECT ? keyEnd(text, jsonSpaceEnd(text, at + 1)) : at + 1;
    if (code !== around + TO_CLOSING) return NO_JSON;
    open.pop();
    at += 1;
  }
  return at;
}

/** The place behind the colon of the member that begins there. */
function keyEnd(text: string, from: number): number {
  const end = jsonStringEnd(text, from);
  if (end === NO_JSON) return NO_JSON;
  const colon = jsonSpaceEnd(text, end);
  return text.charCodeAt(colon) === COLON ? colon + 1 : NO_JSON;
}

function scalarEnd(text: string, at: number, code: number): number {
  if (code === QUOTE) return jsonStringEnd(text, at);
  if (code === MINUS || isDigit(code)) return numberEnd(text, at);
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return at + word.length;
  return NO_JSON;
}

/** Where the string ends that begins there; `NO_JSON` where there is none, or a broken one. */
export function jsonStringEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return NO_JSON;
  let at = from + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      at = escapeEnd(text, at + 1);
      if (at === NO_JSON) return NO_JSON;
    } else if (code >= SPACE) at += 1;
    // A control character, or the end of the text, which is not a number.
    else return NO_JSON;
  }
}

function escapeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== LETTER_U) return SHORT_ESCAPES.has(code) ? at + 1 : NO_JSON;
  HEX_ESCAPE.lastIndex = at + 1;
  return HEX_ESCAPE.test(text) ? at + 5 : NO_JSON;
}

function numberEnd(text: string, from: number): number {
  let at = text.charCodeAt(from) === MINUS ? from + 1 : from;
  const first = text.charCodeAt(at);
  if (!isDigit(first)) return NO_JSON;
  at = first === ZERO ? at + 1 : digitsEnd(text, at);
  if (text.charCodeAt(at) === DOT) {
    const digits = at + 1;
    at = digitsEnd(text, digits);
    if (at === digits) return NO_JSON;
  }
  return (text.charCodeAt(at) | LOWER_CASE) === LETTER_E ? exponentEnd(text, at + 1) : at;
}

function exponentEnd(text: string, from: number): number {
  const sign = text.charCodeAt(from);
  const digits = sign === PLUS || sign === MINUS ? from + 1 : from;
  const end = digitsEnd(text, digits);
  return end === digits ? NO_JSON : end;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
