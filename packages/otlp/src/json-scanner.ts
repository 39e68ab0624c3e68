import { JSON_DEPTH_MAX } from './limits.ts';
import type { OtlpProblem, OtlpProblemCode } from './problem.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * A position in JSON bytes. The scanner finds where values start and end without building them; it checks brackets,
 * strings and depth, and leaves the inside of a value to whoever parses its slice.
 */
export interface JsonScanner {
  readonly bytes: Buffer;
  position: number;
  problem: OtlpProblem | undefined;
}

/** How a value that was stepped over is: as deep as may be, too deep to be read, or no JSON. */
export type SteppedOver = 'whole' | 'too-deep' | 'broken';

/** A scanner at the start of the bytes, after a byte order mark if there is one. */
export function createJsonScanner(bytes: Uint8Array): JsonScanner {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const hasMark = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
  return { bytes: buffer, position: hasMark ? 3 : 0, problem: undefined };
}

/** Steps over white space and says which byte stands there; -1 at the end. */
export function peek(scanner: JsonScanner): number {
  const { bytes } = scanner;
  let at = scanner.position;
  while (at < bytes.length && isSpace(bytes[at] as number)) at += 1;
  scanner.position = at;
  return bytes[at] ?? -1;
}

/** Records what is wrong at the position; the first finding stays. Always false, to be returned. */
export function fail(scanner: JsonScanner, code: OtlpProblemCode, message: string, offset = scanner.position): false {
  scanner.problem ??= { code, message: `${message} (byte ${offset})`, offset };
  return false;
}

/** Brackets that are open; of those beyond JSON_DEPTH_MAX only how many, so that a body of nothing else takes no memory. */
class OpenBrackets {
  private readonly kinds: number[] = [];
  private beyond = 0;
  wasTooDeep = false;

  get isEmpty(): boolean {
    return this.kinds.length === 0;
  }

  open(kind: number): void {
    if (this.kinds.length < JSON_DEPTH_MAX) {
      this.kinds.push(kind);
    } else {
      this.beyond += 1;
      this.wasTooDeep = true;
    }
  }

  /** False where another one, or none, is open. In ASCII, each closing bracket is its opening one plus two. */
  close(byte: number): boolean {
    if (this.beyond === 0) return this.kinds.pop() === byte - 2;
    this.beyond -= 1;
    return true;
  }
}

/** Steps over one value of any kind, however deep it nests. */
export function stepOver(scanner: JsonScanner): SteppedOver {
  const brackets = new OpenBrackets();
  do {
    const byte = peek(scanner);
    if (byte === -1) return broken(scanner, 'truncated', 'the JSON text ends inside a value');
    if (byte === QUOTE) {
      if (!skipString(scanner)) return 'broken';
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      brackets.open(byte);
      scanner.position += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (!brackets.close(byte)) return broken(scanner, 'bad-json', 'a bracket is closed that was not opened');
      scanner.position += 1;
    } else if (byte === COMMA || byte === COLON) {
      if (brackets.isEmpty) return broken(scanner, 'bad-json', 'a value is missing');
      scanner.position += 1;
    } else skipLiteral(scanner);
  } while (!brackets.isEmpty);
  return brackets.wasTooDeep ? 'too-deep' : 'whole';
}

function broken(scanner: JsonScanner, code: OtlpProblemCode, message: string): SteppedOver {
  fail(scanner, code, message);
  return 'broken';
}

/** What is wrong with a value that nests too deep. */
export function tooDeep(offset: number): OtlpProblem {
  return { code: 'too-deep', message: `JSON nests deeper than ${JSON_DEPTH_MAX} levels (byte ${offset})`, offset };
}

/** Steps over one value; one that nests too deep is a problem of the whole text. */
export function skipValue(scanner: JsonScanner): boolean {
  const start = scanner.position;
  const stepped = stepOver(scanner);
  if (stepped === 'too-deep') scanner.problem ??= tooDeep(start);
  return stepped === 'whole';
}

/** So much of a string is looked at byte by byte before the platform is asked, whose every call costs as much as that. */
const LOOK_BYTES = 32;

function skipString(scanner: JsonScanner): boolean {
  const { bytes } = scanner;
  const start = scanner.position;
  let at = start + 1;
  while (at < bytes.length) {
    for (const end = Math.min(at + LOOK_BYTES, bytes.length); at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        scanner.position = at + 1;
        return true;
      }
      if (byte === BACKSLASH) at += 1;
    }
    at = nextMark(bytes, at);
  }
  return fail(scanner, 'truncated', 'a JSON string is not closed', start);
}

/** Where the next quote stands, or the first of the backslashes right before it; the end where there is none. */
function nextMark(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  if (at === -1) return bytes.length;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return at;
}

/** A number, true, false or null; whether it is spelt right is for the parser to say. */
function skipLiteral(scanner: JsonScanner): void {
  const { bytes } = scanner;
  let at = scanner.position;
  while (at < bytes.length && !isDelimiter(bytes[at] as number)) at += 1;
  scanner.position = at;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDelimiter(byte: number): boolean {
  const isBracket = byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte === OPEN_OBJECT || byte === OPEN_ARRAY;
  return isBracket || byte === COMMA || byte === COLON || byte === QUOTE || isSpace(byte);
}

/** Calls `visit` with each member's key and where it starts, standing on its value, which `visit` steps over. False on a problem. */
export function eachMember(
  scanner: JsonScanner,
  label: string,
  visit: (key: string, start: number) => boolean,
): boolean {
  return eachEntry(scanner, label, OPEN_OBJECT, () => {
    if (peek(scanner) !== QUOTE) return fail(scanner, 'bad-json', `a member name is missing in ${label}`);
    const start = scanner.position;
    if (!skipString(scanner)) return false;
    const key = readText(scanner, start, scanner.position);
    if (key === undefined) return false;
    if (peek(scanner) !== COLON) return fail(scanner, 'bad-json', `a colon is missing in ${label}`);
    scanner.position += 1;
    return visit(key, start);
  });
}

/** Calls `visit` standing on each element, which `visit` steps over. False on a problem. */
export function eachElement(scanner: JsonScanner, label: string, visit: () => boolean): boolean {
  return eachEntry(scanner, label, OPEN_ARRAY, visit);
}

function eachEntry(scanner: JsonScanner, label: string, opening: number, visit: () => boolean): boolean {
  const kind = opening === OPEN_OBJECT ? 'an object' : 'an array';
  const first = peek(scanner);
  if (first === -1) return fail(scanner, 'truncated', `the JSON text ends before ${label}`);
  if (first !== opening) return fail(scanner, 'bad-shape', `${label} is not ${kind}`);
  scanner.position += 1;
  if (peek(scanner) === opening + 2) {
    scanner.position += 1;
    return true;
  }
  for (;;) {
    if (!visit()) return false;
    const next = peek(scanner);
    if (next === -1) return fail(scanner, 'truncated', `the JSON text ends inside ${label}`);
    if (next !== opening + 2 && next !== COMMA) return fail(scanner, 'bad-json', `${label} is malformed`);
    scanner.position += 1;
    if (next !== COMMA) return true;
  }
}

/** Parses the string at bytes[start, end). */
function readText(scanner: JsonScanner, start: number, end: number): string | undefined {
  try {
    return String(JSON.parse(scanner.bytes.toString('utf8', start, end)));
  } catch {
    fail(scanner, 'bad-json', 'a JSON string is malformed', start);
    return undefined;
  }
}
