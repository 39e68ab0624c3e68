import type { Redactor } from '../redactor/redactor.ts';
import { isItem } from '../rules/secret-option.ts';
import { isCleanStream } from '../streams/clean-stream.ts';
import { streamedEdits } from '../streams/streamed-edits.ts';
import { type JsonLeaf, type JsonName, jsonLeaves, pointerOf, searchedValue } from '../text/json-leaves.ts';
import { holdsPlaceholder } from '../text/placeholder.ts';
import { editedText, type TextEdit } from '../text/text-edit.ts';
import type { TextPart } from '../text/text-part.ts';
import { BytesInDocument, type SearchedLeaf } from './bytes-in-documents.ts';
import { streamedBytes } from './streamed-bytes.ts';

/** What to replace in a text, and the JSON pointers of what held secrets, below the part they are in. */
export interface DocumentEdits {
  readonly edits: readonly TextEdit[];
  readonly pointers: readonly string[];
  /** Bytes that could not be looked into. */
  readonly unread: readonly UnreadBytes[];
}

/** Where bytes are that could not be looked into. */
export interface UnreadBytes {
  /** The part, by its place among all. */
  readonly part: number;
  /** JSON pointer below it. */
  readonly pointer: string;
}

const nothing: DocumentEdits = { edits: [], pointers: [], unread: [] };

/** One part, taken apart. */
interface ReadPart {
  readonly list: readonly JsonLeaf[];
  readonly names: readonly JsonName[];
  readonly isPlain: boolean;
}

function leavesOf(text: string, part: TextPart): ReadPart {
  const names: JsonName[] = [];
  const list = part.isPlain === true ? undefined : jsonLeaves(text, part.start, part.end, names);
  if (list === undefined) return { list: [plainLeaf(text, part)], names: [], isPlain: true };
  return { list, names, isPlain: false };
}

function plainLeaf(text: string, { start, end }: TextPart): JsonLeaf {
  const value = text.slice(start, end);
  return { start, end, value, steps: [], isNumber: false, name: undefined, calledBy: undefined, isBytes: false };
}

/** How the changed value of a leaf is written in its document. */
function written({ isBytes, isNumber }: JsonLeaf, isPlain: boolean, changed: string): string {
  if (isPlain) return changed;
  if (isBytes) return JSON.stringify(Buffer.from(changed, 'latin1').toString('base64'));
  // A number becomes a text: nothing else can say what stood here.
  return isNumber || changed !== '' ? JSON.stringify(changed) : '""';
}

/** Where a piece alone has less of a secret than the stream, the token is that of all of it: the same secret is met whole elsewhere. */
function merged(own: readonly TextEdit[], streamed: readonly TextEdit[]): TextEdit[] {
  if (streamed.length === 0) return [...own];
  const sorted = [...streamed, ...own].sort((left, right) => left.start - right.start || right.end - left.end);
  const apart: TextEdit[] = [];
  for (const edit of sorted) {
    const last = apart.at(-1);
    if (last === undefined || edit.start >= last.end) apart.push(edit);
    else apart[apart.length - 1] = { ...last, end: Math.max(last.end, edit.end) };
  }
  return apart;
}

/** Remembers what was found clean: events of a stream repeat most of what they hold. */
class CleanLeaves {
  private readonly seen = new Set<string>();
  private readonly redactor: Redactor;

  constructor(redactor: Redactor) {
    this.redactor = redactor;
  }

  edits(leaf: JsonLeaf, value: string): readonly TextEdit[] {
    const { name = '', calledBy = '', steps } = leaf;
    // A rule of the user may count at one place and not at another.
    const place = this.redactor.hasUserRules ? steps.join('\n') : `${isItem(leaf) ? '\u0000' : ''}${name}`;
    const what = `${place}\u0000${calledBy}\u0000${value}`;
    if (this.seen.has(what)) return [];
    const edits = this.redactor.leafEdits({ ...leaf, value });
    if (edits.length === 0) this.seen.add(what);
    return edits;
  }

  nameEdits(name: string): readonly TextEdit[] {
    const what = `\u0000${name}`;
    if (this.seen.has(what)) return [];
    const edits = this.redactor.nameEdits(name);
    if (edits.length === 0) this.seen.add(what);
    return edits;
  }
}

/** What to replace in names of members, which are where no value is. */
function editedNames(
  read: readonly ReadPart[],
  clean: CleanLeaves,
): { readonly edits: readonly TextEdit[]; readonly places: readonly (readonly string[])[] } {
  const edits: TextEdit[] = [];
  const places: (readonly string[])[] = [];
  for (const { names } of read) {
    for (const { start, end, value, steps } of names) {
      const changes = clean.nameEdits(value);
      if (changes.length === 0) continue;
      edits.push({ start, end, text: JSON.stringify(editedText(value, changes)) });
      places.push(steps);
    }
  }
  return { edits, places };
}

/**
 * Finds the secrets of a text made of parts, in order. `isStream`: the parts are what came one by one, so that a secret may
 * begin in one and end in another.
 */
export function documentEdits(
  redactor: Redactor,
  text: string,
  parts: readonly TextPart[],
  isStream: boolean,
): DocumentEdits {
  const judge = (some: readonly TextPart[]): DocumentEdits => searchedEdits(redactor, text, some, false);
  if (isStream && isCleanStream(redactor, text, parts, judge)) return nothing;
  return searchedEdits(redactor, text, parts, isStream);
}

/** What is found in the leaves of one text. */
class Findings {
  readonly edits: TextEdit[] = [];
  readonly pointers: string[] = [];
  readonly unread: UnreadBytes[] = [];
  private readonly pointer: (steps: readonly string[]) => string;

  constructor(pointer: (steps: readonly string[]) => string) {
    this.pointer = pointer;
  }

  /** Names of members, which are where no value is. */
  renamed(edits: readonly TextEdit[], places: readonly (readonly string[])[]): void {
    this.edits.push(...edits);
    this.pointers.push(...places.map(this.pointer));
  }

  changed({ start, end, steps }: JsonLeaf, text: string): void {
    this.edits.push({ start, end, text });
    this.pointers.push(this.pointer(steps));
  }

  /** Nothing was found in a leaf. What an upstream hop or a replay put there already is redacted, too. */
  untouched({ steps }: JsonLeaf, searched: string): void {
    if (holdsPlaceholder(searched)) this.pointers.push(this.pointer(steps));
  }

  couldNotRead({ steps }: JsonLeaf, part: number): void {
    this.unread.push({ part, pointer: this.pointer(steps) });
  }
}

/** The same without a first look: takes every part apart. */
export function searchedEdits(
  redactor: Redactor,
  text: string,
  parts: readonly TextPart[],
  isStream: boolean,
): DocumentEdits {
  const read = parts.map((part) => leavesOf(text, part));
  const leaves = read.map(({ list }) => list);
  const searched = leaves.map((list) => list.map(searchedValue));
  const acrossOf = isStream ? streamedEdits(redactor, leaves, searched) : undefined;
  const inPieces = isStream ? streamedBytes(redactor, leaves) : undefined;
  const cleanLeaves = new CleanLeaves(redactor);
  const named = editedNames(read, cleanLeaves);
  const hasNames = named.edits.length > 0;
  const findings = new Findings((steps) => pointerOf(hasNames ? steps.map((step) => redactor.step(step)) : steps));
  findings.renamed(named.edits, named.places);
  leaves.forEach((list, part) => {
    const isPlain = read[part]?.isPlain === true;
    const search = { redactor, isPlain, clean: cleanLeaves, bytes: new BytesInDocument(redactor), inPieces };
    list.forEach((leaf, index) => {
      const value = searched[part]?.[index] ?? leaf.value;
      const { changed, isUnread } = searchedLeaf(search, leaf, value, acrossOf?.get(leaf) ?? []);
      if (isUnread) findings.couldNotRead(leaf, part);
      if (changed === undefined) findings.untouched(leaf, value);
      else findings.changed(leaf, changed);
    });
  });
  const { edits, pointers, unread } = findings;
  if (hasNames) edits.sort((left, right) => left.start - right.start);
  return { edits, pointers, unread };
}

/** How the leaves of one part are searched. */
interface LeafSearch {
  readonly redactor: Redactor;
  readonly isPlain: boolean;
  readonly clean: CleanLeaves;
  readonly bytes: BytesInDocument;
  /** What came in pieces, and was searched as one. */
  readonly inPieces: ReadonlyMap<JsonLeaf, SearchedLeaf> | undefined;
}

/** `across`: what to replace because of other parts, which makes a text of bytes, too. */
function searchedLeaf(
  { redactor, isPlain, clean, bytes, inPieces }: LeafSearch,
  leaf: JsonLeaf,
  value: string,
  across: readonly TextEdit[],
): Pick<SearchedLeaf, 'changed' | 'isUnread'> {
  const asBytes = inPieces?.get(leaf) ?? (across.length > 0 ? undefined : bytes.search(leaf));
  const isNamed = asBytes?.alsoText !== 'named' || redactor.isNamedByPath(leaf.steps);
  const changes = merged(isNamed ? clean.edits(leaf, value) : [], across);
  const isUnread = asBytes?.isUnread === true;
  const counts = asBytes === undefined || asBytes.alsoText === 'any' || isOfWhole(changes, value);
  if (changes.length > 0 && counts) return { changed: written(leaf, isPlain, editedText(value, changes)), isUnread };
  const { changed } = asBytes ?? {};
  return { changed: changed === undefined || isPlain ? changed : JSON.stringify(changed), isUnread };
}

function isOfWhole([first, ...others]: readonly TextEdit[], value: string): boolean {
  return others.length === 0 && first?.start === 0 && first.end === value.length;
}
