/** A text as it reads, and where in the text as it is written a place of it is. */
export interface DecodedText {
  readonly plain: string;
  readonly placeOf: (offset: number) => number;
}

/**
 * Takes back what is written for one character, or for several in a row: each character of what `read` makes of a match then takes as much of it
 * as the others.
 */
export function decodedText(text: string, written: RegExp, read: (written: string) => string): DecodedText {
  // Where in the plain text each row begins and ends, and how much longer the text is as it is written, up to its end.
  const starts: number[] = [];
  const ends: number[] = [];
  const longer: number[] = [];
  let difference = 0;
  const plain = text.replaceAll(written, (found: string, index: number) => {
    const characters = read(found);
    const start = index - difference;
    starts.push(start);
    ends.push(start + characters.length);
    difference += found.length - characters.length;
    longer.push(difference);
    return characters;
  });
  const placeOf = (offset: number): number => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return offset;
    const row = low - 1;
    const [start = 0, end = 0, before = 0, after = 0] = [starts[row], ends[row], longer[row - 1], longer[row]];
    if (offset >= end) return offset + after;
    return offset + before + ((after - before) / (end - start)) * (offset - start);
  };
  return { plain, placeOf };
}
