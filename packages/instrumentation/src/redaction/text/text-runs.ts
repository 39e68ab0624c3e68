import type { TextPart } from './text-part.ts';

/** How many characters of ASCII a text among bytes has in a row at least: nearly every byte of a picture could be one of another kind. */
const ASCII_CHARACTERS_MIN = 6;
const DELETE = 0x7f;

function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < DELETE) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Where among bytes that are nothing known something stands that may be a text, in whatever encoding has ASCII in it. */
export function textRuns(bytes: Uint8Array, { start, end }: TextPart): TextPart[] {
  const runs: TextPart[] = [];
  let [begin, inRow, isText] = [start, 0, false];
  for (let at = start; at <= end; at += 1) {
    const byte = at === end ? 0 : (bytes[at] ?? 0);
    if (isAscii(byte)) {
      inRow += 1;
      if (inRow >= ASCII_CHARACTERS_MIN) isText = true;
    } else if (byte > DELETE) inRow = 0;
    else {
      if (isText) runs.push({ start: begin, end: at });
      [begin, inRow, isText] = [at + 1, 0, false];
    }
  }
  return runs;
}
