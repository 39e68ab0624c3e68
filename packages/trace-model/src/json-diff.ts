import { isTree, pathStep } from './json-tree.ts';
import { DIFF_ENTRIES_MAX, DIFF_VALUE_CHARACTERS_MAX } from './limits.ts';

/** One place where two JSON trees differ. A side is absent where the value does not exist there. */
export interface DiffEntry {
  /** JSON path from the root `$`. */
  readonly path: string;
  readonly recorded?: string;
  readonly live?: string;
}

/** A bounded list of differences; `total` counts also those that are not listed. */
export interface JsonDiff {
  readonly entries: readonly DiffEntry[];
  readonly total: number;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= DIFF_VALUE_CHARACTERS_MAX) return text;
  return `${text.slice(0, DIFF_VALUE_CHARACTERS_MAX)}… (${text.length} characters)`;
}

class Differ {
  readonly entries: DiffEntry[] = [];
  total = 0;

  private add(path: string, recorded: unknown, live: unknown): void {
    this.total += 1;
    if (this.entries.length >= DIFF_ENTRIES_MAX) return;
    this.entries.push({
      path,
      ...(recorded === undefined ? {} : { recorded: shorten(recorded) }),
      ...(live === undefined ? {} : { live: shorten(live) }),
    });
  }

  compare(recorded: unknown, live: unknown, path: string): void {
    if (Array.isArray(recorded) && Array.isArray(live)) {
      const length = Math.max(recorded.length, live.length);
      for (let index = 0; index < length; index += 1)
        this.compare(recorded[index], live[index], path + pathStep(index));
      return;
    }
    if (isTree(recorded) && isTree(live)) {
      for (const key of new Set([...Object.keys(recorded), ...Object.keys(live)])) {
        this.compare(recorded[key], live[key], path + pathStep(key));
      }
      return;
    }
    if (!Object.is(recorded, live)) this.add(path, recorded, live);
  }
}

/** Compares two JSON trees; key order does not count, array order does. */
export function diffTrees(recorded: unknown, live: unknown): JsonDiff {
  const differ = new Differ();
  differ.compare(recorded, live, '$');
  return { entries: differ.entries, total: differ.total };
}
