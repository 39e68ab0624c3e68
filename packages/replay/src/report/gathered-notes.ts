import type { RepeatedNote } from '@reenact/trace-model';
import { NOTE_PATHS_MAX, NOTE_PATHS_NAMED_MAX } from '../limits.ts';

/** A note, and the crossing that it names. */
export interface CrossingNote {
  readonly text: string;
  readonly path: string;
}

interface Group {
  readonly text: string;
  /** In the order in which they were added; empty for a note that names no crossing. */
  readonly paths: Set<string>;
}

function sentenceOf([, ...others]: readonly string[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, NOTE_PATHS_NAMED_MAX - 1);
  const more = others.length - named.length;
  const count = others.length === 1 ? 'one more crossing' : `${others.length} more crossings`;
  const list = more === 0 ? named.join(' and ') : `${named.join(', ')} and ${more} ${more === 1 ? 'other' : 'others'}`;
  return ` The same is true of ${count}: ${list}.`;
}

/** Gathers notes, so that what is true of many crossings alike is said once, with how many they are and which come first. */
export class GatheredNotes {
  private readonly groups = new Map<string, Group>();

  /** Adds one note. `path`: the crossing it is about; a text that does not name it is about no crossing. Equal notes count once. */
  add(text: string, path?: string): void {
    const isOfCrossing = path !== undefined && text.includes(path);
    // Everything but the path, so that two notes have one key only if they say the same of two crossings.
    const key = JSON.stringify(isOfCrossing ? text.split(path) : text);
    const group = this.groups.get(key) ?? { text, paths: new Set() };
    this.groups.set(key, group);
    if (isOfCrossing) group.paths.add(path);
  }

  /** One line for each kind of note, in the order in which each was first added. */
  lines(): string[] {
    return [...this.groups.values()].map(({ text, paths }) => text + sentenceOf([...paths]));
  }

  /** The notes that are about more than one crossing, for programs. */
  repeated(): RepeatedNote[] {
    return [...this.groups.values()]
      .filter(({ paths }) => paths.size > 1)
      .map(({ text, paths }) => ({
        text: text + sentenceOf([...paths]),
        paths: [...paths].slice(0, NOTE_PATHS_MAX),
        pathsTotal: paths.size,
      }));
  }
}
