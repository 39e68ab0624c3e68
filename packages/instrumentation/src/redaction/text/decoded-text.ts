/** A text as it reads, and where in the text as it is written a place of it is. */
export interface DecodedText {
  readonly plain: string;
  readonly placeOf: (offset: number) => number;
}

/** Takes back what stands for one character each. */
export function decodedText(text: string, written: RegExp, characterOf: (written: string) => string): DecodedText {
  // Where in the plain text these characters stand, each with how much longer the text is as it is written, up to its end.
  const places: number[] = [];
  const longer: number[] = [];
  let difference = 0;
  const plain = text.replaceAll(written, (found: string, index: number) => {
    places.push(index - difference);
    difference += found.length - 1;
    longer.push(difference);
    return characterOf(found);
  });
  const placeOf = (offset: number): number => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + (longer[low - 1] ?? 0);
  };
  return { plain, placeOf };
}
