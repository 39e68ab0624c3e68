import { DIFF_CONTEXT_CHARACTERS, DIFF_ENTRIES_MAX, DIFF_VALUE_CHARACTERS_MAX } from '../limits.ts';
import { offPair } from '../off-pair.ts';
import { JSON_IN_TEXT_STEP, jsonInTexts } from './json-in-text.ts';
import { canonicalJson, isTree, pathStep } from './json-tree.ts';
import { readableText, wordFor } from './readable-text.ts';

/** One place where two JSON trees differ, each side as `readableText` writes it. A side is absent where the value does not exist there. */
export interface DiffEntry {
  /** JSON path from the root `$`; into the JSON that a text holds behind ` › `, from its own root. */
  readonly path: string;
  readonly recorded?: string;
  readonly live?: string;
}

/** A bounded list of differences; `total` counts also those that are not listed. */
export interface JsonDiff {
  readonly entries: readonly DiffEntry[];
  readonly total: number;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : readableText(value);
}

function commonStart(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left[index] === right[index]) index += 1;
  return index;
}

function within(text: string, start: number): string {
  if (start === 0 && text.length <= DIFF_VALUE_CHARACTERS_MAX) return text;
  const end = offPair(text, start + DIFF_VALUE_CHARACTERS_MAX);
  const cut = `${start > 0 ? '…' : ''}${text.slice(offPair(text, start), end)}${end < text.length ? '…' : ''}`;
  return `${cut} (${text.length} characters)`;
}

/**
 * Long texts are cut around the place where they differ: two long prompts mostly share their beginning. Both at the same place, for whoever
 * cuts them further looks for that again.
 */
function shortened(recorded: string | undefined, live: string | undefined): Omit<DiffEntry, 'path'> {
  const [left, right] = [recorded ?? '', live ?? ''];
  const wanted = Math.max(0, commonStart(left, right) - DIFF_CONTEXT_CHARACTERS);
  const start = Math.min(wanted, Math.max(0, Math.max(left.length, right.length) - DIFF_VALUE_CHARACTERS_MAX));
  return {
    ...(recorded === undefined ? {} : { recorded: within(recorded, start) }),
    ...(live === undefined ? {} : { live: within(live, start) }),
  };
}

/** A key such as "constructor" must not find what every object inherits. */
function own(tree: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(tree, key) ? tree[key] : undefined;
}

/** Two values of different types differ as a whole: what stands inside one has no counterpart in the other. */
function sameTag(recorded: Record<string, unknown>, live: Record<string, unknown>): boolean {
  const [left, right] = [own(recorded, '$'), own(live, '$')];
  // A tag is a text; anything else is a member of JSON that somebody named so.
  return typeof left === 'string' || typeof right === 'string' ? left === right : true;
}

class Differ {
  readonly entries: DiffEntry[] = [];
  total = 0;

  private add(path: string, recorded: unknown, live: unknown): void {
    this.total += 1;
    if (this.entries.length >= DIFF_ENTRIES_MAX) return;
    this.entries.push({ path, ...shortened(textOf(recorded), textOf(live)) });
  }

  compare(recorded: unknown, live: unknown, path: string): void {
    if (Array.isArray(recorded) && Array.isArray(live)) {
      const length = Math.max(recorded.length, live.length);
      for (let index = 0; index < length; index += 1)
        this.compare(recorded[index], live[index], path + pathStep(index));
      return;
    }
    if (isTree(recorded) && isTree(live) && sameTag(recorded, live)) {
      // What people read as one value, such as a date, differs as a whole.
      const isOneValue = wordFor(recorded) !== undefined && wordFor(live) !== undefined;
      if (!isOneValue) this.compareMembers(recorded, live, path);
      else if (canonicalJson(recorded) !== canonicalJson(live)) this.add(path, recorded, live);
      return;
    }
    if (!Object.is(recorded, live) && !this.differsInText(recorded, live, path)) this.add(path, recorded, live);
  }

  private compareMembers(recorded: Record<string, unknown>, live: Record<string, unknown>, path: string): void {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(live)]))
      this.compare(own(recorded, key), own(live, key), path + pathStep(key));
  }

  /** Texts that differ in nothing but how their JSON is written differ as texts, and so do those behind what is listed: nobody sees where. */
  private differsInText(recorded: unknown, live: unknown, path: string): boolean {
    const { total } = this;
    if (this.entries.length >= DIFF_ENTRIES_MAX) return false;
    const trees = jsonInTexts(recorded, live);
    if (trees !== undefined) this.compare(...trees, path + JSON_IN_TEXT_STEP);
    return this.total > total;
  }
}

/** Compares two JSON trees; key order does not count, array order does. */
export function diffTrees(recorded: unknown, live: unknown): JsonDiff {
  const differ = new Differ();
  differ.compare(recorded, live, '$');
  return { entries: differ.entries, total: differ.total };
}
