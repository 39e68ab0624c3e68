import { diffArrays } from 'diff';
import { type WordChange, wordChanges } from '../words/word-changes.ts';
import type { Message } from './message.ts';

/** A message that is asked in other words. */
export interface ChangedMessage {
  readonly role: string;
  readonly changes: readonly WordChange[];
}

/** What a model was asked beside what it was asked by the call before. */
export interface AskedSince {
  /** How many messages are the same, in the same order. */
  readonly same: number;
  readonly added: readonly Message[];
  /** Messages of the call before that are asked no more. */
  readonly removed: readonly Message[];
  readonly changed: readonly ChangedMessage[];
}

/** Conversations that differ in more messages are two of them. */
const MESSAGES_CHANGED_MAX = 1_000;

function onlyText({ parts: [first, ...others] }: Message): string | undefined {
  return first?.type === 'text' && others.length === 0 ? first.text : undefined;
}

function changedMessage(before: Message, after: Message): ChangedMessage | undefined {
  const [earlier, later] = [onlyText(before), onlyText(after)];
  if (before.role !== after.role || earlier === undefined || later === undefined) return undefined;
  const changes = wordChanges(earlier, later);
  return changes === undefined ? undefined : { role: after.role, changes };
}

/** Takes out of what stands in one place of both conversations the messages that are asked in other words. */
function paired(removed: readonly Message[], added: readonly Message[]): Omit<AskedSince, 'same'> {
  const pairs = added.map((after, place) => {
    const before = removed[place];
    return before === undefined ? undefined : changedMessage(before, after);
  });
  return {
    added: added.filter((_, place) => pairs[place] === undefined),
    removed: removed.filter((_, place) => pairs[place] === undefined),
    changed: pairs.filter((pair) => pair !== undefined),
  };
}

/** A conversation grows at its end; others are summed up in their middle, or begin with instructions that say what time it is. */
export function askedSince(before: readonly Message[], asked: readonly Message[]): AskedSince {
  const [earlier = [], later = []] = [before, asked].map((messages) => messages.map((each) => JSON.stringify(each)));
  const found = diffArrays(earlier, later, { maxEditLength: MESSAGES_CHANGED_MAX });
  if (found === undefined) return { same: 0, added: asked, removed: before, changed: [] };
  let [same, left, right] = [0, 0, 0];
  const places: Omit<AskedSince, 'same'>[] = [];
  let removed: readonly Message[] = [];
  for (const [at, { added: isAdded, removed: isRemoved, count }] of found.entries()) {
    if (isRemoved) {
      removed = before.slice(left, left + count);
      left += count;
      // What came in its place follows.
      if (found[at + 1]?.added !== true) places.push(paired(removed, []));
    } else if (isAdded) {
      places.push(paired(found[at - 1]?.removed === true ? removed : [], asked.slice(right, right + count)));
      right += count;
    } else {
      same += count;
      left += count;
      right += count;
    }
  }
  return {
    same,
    added: places.flatMap(({ added }) => added),
    removed: places.flatMap((place) => place.removed),
    changed: places.flatMap(({ changed }) => changed),
  };
}
