import { SEARCHED_TEXT_CHARACTERS_MAX, SEARCHED_TEXTS_MAX } from '../../limits.ts';
import type { Redactor } from './redactor.ts';

/** What a search came to. */
interface Searched {
  /** The text without its secrets. */
  readonly kept: string;
  /** How often each rule found something in it. */
  readonly found: readonly (readonly [rule: string, times: number])[];
}

/**
 * Texts that were looked through, each with the name it stands under: the same few come with every crossing of a boundary, and with every
 * request to a model the same credential. Bounded; what is forgotten is looked through again.
 */
class SearchedTexts {
  private readonly byName = new Map<string, Map<string, Searched>>();
  private readonly textsMax: number;
  private count = 0;

  constructor(textsMax: number) {
    this.textsMax = textsMax;
  }

  of(name: string, text: string): Searched | undefined {
    return this.byName.get(name)?.get(text);
  }

  add(name: string, text: string, searched: Searched): void {
    if (this.textsMax === 0) return;
    if (this.count >= this.textsMax) {
      this.byName.clear();
      this.count = 0;
    }
    const known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, new Map([[text, searched]]));
    else known.set(text, searched);
    this.count += 1;
  }
}

/** Gives a text without its secrets: the same text where it has none. */
type Search = (redactor: Redactor, name: string, text: string) => string;

const nothing: Searched['found'] = [];

function searched(search: Search, redactor: Redactor, name: string, text: string): Searched {
  const before = new Map(redactor.found);
  const kept = search(redactor, name, text);
  if (kept === text) return { kept: text, found: nothing };
  const found = Array.from(redactor.found, ([rule, times]) => [rule, times - (before.get(rule) ?? 0)] as const);
  return { kept, found: found.filter(([, times]) => times > 0) };
}

/**
 * The same search with a memory of its own for each redactor: a short text is looked through once under each name, and what a rule found in
 * it counts each time. Nothing is remembered where the user has rules: a function of theirs may find tomorrow what it did not know today.
 */
export function rememberingSearch(search: Search): Search {
  const memories = new WeakMap<Redactor, SearchedTexts>();
  const memoryOf = (redactor: Redactor): SearchedTexts => {
    const known = memories.get(redactor);
    if (known !== undefined) return known;
    const made = new SearchedTexts(redactor.hasUserRules ? 0 : SEARCHED_TEXTS_MAX);
    memories.set(redactor, made);
    return made;
  };
  return (redactor, name, text) => {
    if (text.length > SEARCHED_TEXT_CHARACTERS_MAX) return search(redactor, name, text);
    const memory = memoryOf(redactor);
    const known = memory.of(name, text);
    if (known !== undefined) {
      for (const [rule, times] of known.found) redactor.count(rule, times);
      return known.kept;
    }
    const fresh = searched(search, redactor, name, text);
    memory.add(name, text, fresh);
    return fresh.kept;
  };
}
