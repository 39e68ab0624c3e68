import { jsonSpaceEnd, jsonStringEnd, jsonValueEnd } from './json-scan.ts';

/**
 * Members that a preview looks for by their names, wherever they stand: those of messages, errors and tagged values. They are read also behind
 * more than a preview shows.
 */
const LOOKED_FOR: ReadonlySet<string> = new Set([
  ...['messages', 'input', 'prompt', 'parts', 'content', 'text', 'output', 'role', 'type', 'name', 'arguments'],
  ...['record', 'class', 'message', 'fields', 'code', 'status', '$', 'value', 'isError', 'is_error'],
]);

/** How many characters of JSON one character of a preview may take: a tagged value is long, and a word where people read it. */
const JSON_PER_CHARACTER = 10;

/** How many times what a preview shows is read beside it, half of it for what is looked for: what comes first need not be what is shown. */
const SPARE_TIMES = 16;

/** Deeper values are left out: no preview shows so many brackets. */
const DEPTH_MAX = 200;

const LEFT_OUT = '…';
const QUOTE = 0x22;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const COMMA = 0x2c;

/** Characters that may still be read into one part of the tree. */
interface Room {
  left: number;
}

/**
 * A JSON text as a tree that leaves things out where the text is long. Written as text again, its first `charactersMin` characters at least are those of the
 * whole tree. The last item of each array is there, too, and so is what previews look for. What was left out of a string ends in `…`. It takes
 * memory for what it holds, and not for the text. Throws SyntaxError where the text is not JSON.
 */
export function abridgedTree(text: string, charactersMin: number): unknown {
  const end = jsonValueEnd(text, 0);
  if (end === -1 || jsonSpaceEnd(text, end) !== text.length) throw new SyntaxError('The text is not JSON.');
  return new Abridger(text, charactersMin).whole();
}

/** Reads a text that is known to be JSON. */
class Abridger {
  private readonly text: string;
  private readonly roomMax: number;
  private readonly spare: Room;
  /** Where the value ends that was read last. */
  private end = 0;

  constructor(text: string, charactersMin: number) {
    this.text = text;
    this.roomMax = charactersMin * JSON_PER_CHARACTER;
    this.spare = { left: this.roomMax * SPARE_TIMES };
  }

  whole(): unknown {
    return this.value(0, { left: this.roomMax }, 0);
  }

  private value(from: number, room: Room, depth: number): unknown {
    const at = jsonSpaceEnd(this.text, from);
    const code = this.text.charCodeAt(at);
    if (code !== QUOTE && code !== BRACE && code !== BRACKET) return this.scalar(at, room);
    if (code === QUOTE) return this.string(at, room);
    room.left -= 2;
    if (depth === DEPTH_MAX) {
      this.end = jsonValueEnd(this.text, at);
      return LEFT_OUT;
    }
    return code === BRACE ? this.object(at, room, depth + 1) : this.array(at, room, depth + 1);
  }

  private scalar(at: number, room: Room): unknown {
    this.end = jsonValueEnd(this.text, at);
    room.left -= this.end - at;
    return JSON.parse(this.text.slice(at, this.end));
  }

  private string(at: number, room: Room): string {
    this.end = jsonStringEnd(this.text, at);
    const characters = Math.max(room.left, 1);
    room.left -= this.end - at;
    // An escape takes up to six characters for one.
    if (this.end - at <= characters * 6 + 2) return JSON.parse(this.text.slice(at, this.end)) as string;
    return `${startOf(this.text, at, characters)}${LEFT_OUT}`;
  }

  private array(at: number, room: Room, depth: number): unknown[] {
    const items: unknown[] = [];
    let skipped = -1;
    for (let place = this.inside(at); place !== -1; place = this.following()) {
      const isSpare = this.spare.left * 2 > this.roomMax * SPARE_TIMES;
      if (room.left > 0) items.push(this.value(place, room, depth));
      else if (isSpare) items.push(this.value(place, this.takeSpare(), depth));
      else {
        skipped = place;
        this.end = jsonValueEnd(this.text, place);
      }
    }
    if (skipped === -1) return items;
    const { end } = this;
    items.push(this.value(skipped, this.takeSpare(), depth));
    this.end = end;
    return items;
  }

  private object(at: number, room: Room, depth: number): object {
    const members: [string, unknown][] = [];
    for (let place = this.inside(at); place !== -1; place = this.following()) {
      const keyEnd = jsonStringEnd(this.text, place);
      const key: unknown = JSON.parse(this.text.slice(place, keyEnd));
      const value = jsonSpaceEnd(this.text, keyEnd) + 1;
      if (typeof key !== 'string' || (room.left <= 0 && !LOOKED_FOR.has(key)))
        this.end = jsonValueEnd(this.text, value);
      else {
        const own = room.left > 0 ? room : this.takeSpare();
        own.left -= keyEnd - place;
        members.push([key, this.value(value, own, depth)]);
      }
    }
    return Object.fromEntries(members);
  }

  private takeSpare(): Room {
    const left = Math.max(0, Math.min(this.roomMax, this.spare.left));
    this.spare.left -= left;
    return { left };
  }

  /** The place of the first entry of what opens there; -1 where it is empty. */
  private inside(at: number): number {
    const first = jsonSpaceEnd(this.text, at + 1);
    return this.entryAt(first);
  }

  /** The place of the entry behind that which was read last. */
  private following(): number {
    const at = jsonSpaceEnd(this.text, this.end);
    if (this.text.charCodeAt(at) === COMMA) return jsonSpaceEnd(this.text, at + 1);
    this.end = at + 1;
    return -1;
  }

  private entryAt(at: number): number {
    const code = this.text.charCodeAt(at);
    const isClosing = code === BRACE + 2 || code === BRACKET + 2;
    if (isClosing) this.end = at + 1;
    return isClosing ? -1 : at;
  }
}

/** So many characters of the string that begins there, less those that its last escape would need. */
function startOf(text: string, at: number, characters: number): string {
  let length = characters;
  for (;;) {
    const piece = text.slice(at + 1, at + 1 + length);
    const isWhole = jsonStringEnd(`"${piece}"`, 0) === piece.length + 2;
    if (isWhole) return JSON.parse(`"${piece}"`) as string;
    length -= 1;
  }
}
