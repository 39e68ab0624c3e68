import { CLEAN_TEXTS_MAX } from '../limits.ts';

/**
 * Texts that were looked through and hold no secret, each with the name it stands under: the same few come with every crossing of a
 * boundary. Bounded; what is forgotten is looked through again.
 */
export class CleanTexts {
  private readonly byName = new Map<string, Set<string>>();
  private count = 0;

  /** Whether this text was found clean under this name. */
  has(name: string, text: string): boolean {
    return this.byName.get(name)?.has(text) === true;
  }

  /** Remembers that it is. */
  add(name: string, text: string): void {
    if (this.count >= CLEAN_TEXTS_MAX) {
      this.byName.clear();
      this.count = 0;
    }
    const known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, new Set([text]));
    else known.add(text);
    this.count += 1;
  }
}
