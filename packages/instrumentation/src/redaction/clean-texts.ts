import { CLEAN_TEXT_CHARACTERS_MAX, CLEAN_TEXTS_MAX } from '../limits.ts';
import type { Redactor } from './redactor.ts';

/**
 * Texts that were looked through and hold no secret, each with the name it stands under: the same few come with every crossing of a
 * boundary. Bounded; what is forgotten is looked through again.
 */
export class CleanTexts {
  private readonly byName = new Map<string, Set<string>>();
  private readonly textsMax: number;
  private count = 0;

  constructor(textsMax: number = CLEAN_TEXTS_MAX) {
    this.textsMax = textsMax;
  }

  /** Whether this text was found clean under this name. */
  has(name: string, text: string): boolean {
    return this.byName.get(name)?.has(text) === true;
  }

  /** Remembers that it is. */
  add(name: string, text: string): void {
    if (this.textsMax === 0) return;
    if (this.count >= this.textsMax) {
      this.byName.clear();
      this.count = 0;
    }
    const known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, new Set([text]));
    else known.add(text);
    this.count += 1;
  }
}

/** Gives a text without its secrets: the same text where it has none. */
type Search = (redactor: Redactor, name: string, text: string) => string;

/**
 * The same search with a memory of its own for each redactor: a short text that was clean under a name is not looked through again.
 * Nothing is remembered where the user has rules: a function of theirs may find tomorrow what it did not know today.
 */
export function rememberingSearch(search: Search): Search {
  const memories = new WeakMap<Redactor, CleanTexts>();
  const memoryOf = (redactor: Redactor): CleanTexts => {
    const known = memories.get(redactor);
    if (known !== undefined) return known;
    const made = new CleanTexts(redactor.hasUserRules ? 0 : CLEAN_TEXTS_MAX);
    memories.set(redactor, made);
    return made;
  };
  return (redactor, name, text) => {
    if (text.length > CLEAN_TEXT_CHARACTERS_MAX) return search(redactor, name, text);
    const clean = memoryOf(redactor);
    if (clean.has(name, text)) return text;
    const kept = search(redactor, name, text);
    if (kept === text) clean.add(name, text);
    return kept;
  };
}
