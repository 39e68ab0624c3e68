/** Scripts that are written without spaces: each character counts as a word, and a word of them as a phrase. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII is not.
const BEYOND_ASCII = /[^\x00-\x7f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII without letters and digits.
const ASCII_SEPARATORS = /[\x00-\x2f\x3a-\x60\x7b-\x7f]+/g;
/** The only letter whose lower case depends on what stands around it. */
const FINAL_SIGMA = 'Σ';

/**
 * Text as the search table takes it: its words in order without case and accents, separated by single spaces. What the table
 * holds can only be taken out again by the same words, so this must never give others for a text than it did.
 */
export function foldWords(text: string): string {
  // Regular expressions over all of Unicode are slow, and in most texts few characters need them.
  const plain = text.includes(FINAL_SIGMA) ? foldBeyondAscii(text) : text.replace(BEYOND_ASCII, foldBeyondAscii);
  return plain.toLowerCase().replace(ASCII_SEPARATORS, ' ').trim();
}

function foldBeyondAscii(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(UNSPACED, ' $& ');
}

const SPACE = 0x20;

/** What each byte of folded UTF-8 is: the letter or digit in lower case, the byte itself beyond ASCII, a space for what separates. */
const FOLDED_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 0x7f) return byte;
  const character = String.fromCharCode(byte);
  return /[0-9A-Za-z]/.test(character) ? character.toLowerCase().charCodeAt(0) : SPACE;
});

const ASCII_END = 0x80;

/** Folded passages of characters beyond ASCII, which are mostly the same few: quotes, dashes, letters with accents. */
const FOLDED_PASSAGES_MAX = 4_096;

/** Bytes of such a passage that is worth remembering. */
const FOLDED_PASSAGE_BYTES_MAX = 12;

const foldedPassages = new Map<string, Buffer>();

/** What a passage of characters beyond ASCII is folded to, in UTF-8. */
function foldPassage(text: Buffer, start: number, end: number): Buffer {
  if (end - start > FOLDED_PASSAGE_BYTES_MAX) return Buffer.from(foldBeyondAscii(text.toString('utf8', start, end)));
  const key = text.toString('latin1', start, end);
  const known = foldedPassages.get(key);
  if (known !== undefined) return known;
  const folded = Buffer.from(foldBeyondAscii(text.toString('utf8', start, end)));
  if (foldedPassages.size >= FOLDED_PASSAGES_MAX) foldedPassages.clear();
  foldedPassages.set(key, folded);
  return folded;
}

/** Folded bytes one behind the other, without two spaces in a row, in memory that grows as needed. */
class FoldedBytes {
  private bytes: Uint8Array<ArrayBuffer>;
  private length = 0;
  private last = SPACE;

  constructor(expectedBytes: number) {
    this.bytes = new Uint8Array(expectedBytes);
  }

  /** Adds ASCII from a place on, and gives where it ends. */
  addAscii(text: Buffer, start: number): number {
    const { bytes } = this;
    let { length, last } = this;
    let at = start;
    for (; at < text.length; at += 1) {
      const folded = FOLDED_BYTES[text[at] as number] as number;
      if (folded >= ASCII_END) break;
      bytes[length] = folded;
      // A space behind a space is written over by what follows; without a branch, which in prose nobody can predict.
      length += (((folded ^ SPACE) | (last ^ SPACE)) + 0xff) >> 8;
      last = folded;
    }
    this.length = length;
    this.last = last;
    return at;
  }

  /** Adds a passage that is folded already, with room for so many bytes behind it. */
  addFolded(passage: Buffer, bytesBehind: number): void {
    this.reserve(passage.length + bytesBehind);
    for (const byte of passage) {
      if (byte === SPACE && this.last === SPACE) continue;
      this.bytes[this.length] = byte;
      this.length += 1;
      this.last = byte;
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.last === SPACE ? Math.max(this.length - 1, 0) : this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

/** The same of a whole text in UTF-8, several times faster. */
export function foldBytes(text: Buffer): Uint8Array<ArrayBuffer> {
  const whole = text.includes(FINAL_SIGMA) ? Buffer.from(foldBeyondAscii(text.toString())) : text;
  // One more than is kept: a space may stand where the next letter goes.
  const folded = new FoldedBytes(whole.length + 1);
  for (let at = folded.addAscii(whole, 0); at < whole.length; ) {
    const start = at;
    while ((whole[at] as number) >= ASCII_END) at += 1;
    folded.addFolded(foldPassage(whole, start, at), whole.length - at + 1);
    at = folded.addAscii(whole, at);
  }
  return folded.finish();
}
