/** Finds runs of characters of one class that are so long at least. */
export class CharacterRuns {
  private readonly isOfRun = new Uint8Array(128);
  private readonly charactersMin: number;

  /** `characters`: the class, ASCII only. */
  constructor(characters: string, charactersMin: number) {
    for (const character of characters) this.isOfRun[character.charCodeAt(0)] = 1;
    this.charactersMin = charactersMin;
  }

  /**
   * Whether any such run of a text passes a test. Looks at as many characters as the shortest run has, from the last one back: what ends
   * a run there takes it behind all of them but the few it has seen. A regular expression looks at each, and takes several times as long.
   */
  some(text: string, test: (run: string) => boolean): boolean {
    return this.someRange(text, (from, to) => test(text.slice(from, to)));
  }

  /** As `some`, of a test that takes where the run is. */
  someRange(text: string, test: (from: number, to: number) => boolean): boolean {
    const { isOfRun, charactersMin } = this;
    let start = 0;
    while (start + charactersMin <= text.length) {
      let index = start + charactersMin - 1;
      while (index >= start && isOfRun[text.charCodeAt(index)] === 1) index -= 1;
      if (index >= start) {
        start = index + 1;
        continue;
      }
      let end = start + charactersMin;
      while (end < text.length && isOfRun[text.charCodeAt(end)] === 1) end += 1;
      if (test(start, end)) return true;
      start = end + 1;
    }
    return false;
  }
}
