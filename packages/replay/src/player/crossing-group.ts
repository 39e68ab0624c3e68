import type { Crossing } from '@reenact/trace-model';
import type { ComparisonRule, InputComparer, LiveInput } from '../equality/input-comparison.ts';

/** Whether a crossing may still be matched. */
export type IsFree = (crossing: Crossing) => boolean;

/** A list in start order whose head is dropped for good once it has been met. */
class Queue {
  private readonly items: Crossing[] = [];
  private head = 0;

  push(crossing: Crossing): void {
    this.items.push(crossing);
  }

  /** The first free item. Items that were met never come back. */
  first(isFree: IsFree, isMet: IsFree): Crossing | undefined {
    for (let item = this.items[this.head]; item !== undefined && isMet(item); item = this.items[this.head]) {
      this.head += 1;
    }
    return this.firstAfter(this.head - 1, isFree);
  }

  /** Whether a free item comes after this one. */
  hasFreeAfter(crossing: Crossing, isFree: IsFree): boolean {
    return this.firstAfter(this.items.indexOf(crossing, this.head), isFree) !== undefined;
  }

  private firstAfter(place: number, isFree: IsFree): Crossing | undefined {
    for (let index = place + 1; index < this.items.length; index += 1) {
      const item = this.items[index];
      if (item !== undefined && isFree(item)) return item;
    }
    return undefined;
  }
}

/**
 * Recorded crossings of one kind and name that a call may be matched with, indexed so that a run of ten thousand equal
 * calls is not compared each with each.
 */
export class CrossingGroup {
  readonly members: Crossing[] = [];
  private readonly comparer: InputComparer;
  private readonly isMet: IsFree;
  private readonly isGone: IsFree;
  private readonly inOrder = new Queue();
  private readonly byToolCallId = new Map<string, Queue>();
  private readonly byInput = new Map<string, Queue>();
  private readonly rules = new Map<string, ComparisonRule>();
  /** Members whose input is in `byInput` already; the index is made when it is first needed. */
  private indexed = 0;

  /** `isMet`: whether a call has met it, so that its turn is over; `isGone`: whether no call is given it for its input any more either. */
  constructor(comparer: InputComparer, { isMet, isGone }: { readonly isMet: IsFree; readonly isGone: IsFree }) {
    this.comparer = comparer;
    this.isMet = isMet;
    this.isGone = isGone;
  }

  /** Adds a crossing; start order is the order of adding. */
  add(crossing: Crossing): void {
    this.members.push(crossing);
    this.inOrder.push(crossing);
    if (crossing.toolCallId !== undefined) append(this.byToolCallId, crossing.toolCallId, crossing);
  }

  /** The earliest free crossing. */
  earliest(isFree: IsFree): Crossing | undefined {
    return this.inOrder.first(isFree, this.isMet);
  }

  /** Whether another free crossing comes after the earliest one. */
  hasOtherThan(earliest: Crossing, isFree: IsFree): boolean {
    return this.inOrder.hasFreeAfter(earliest, isFree);
  }

  /** The earliest free crossing with this tool call id. */
  withToolCallId(toolCallId: string, isFree: IsFree): Crossing | undefined {
    return this.byToolCallId.get(toolCallId)?.first(isFree, this.isMet);
  }

  /** The earliest free crossing with exactly this input. */
  withInput(input: LiveInput, isFree: IsFree): Crossing | undefined {
    this.indexInputs();
    let earliest: Crossing | undefined;
    for (const rule of this.rules.values()) {
      const queue = this.byInput.get(inputKey(rule, input.matchTextUnder(rule)));
      const crossing = queue?.first(isFree, this.isGone);
      if (crossing === undefined) continue;
      if (earliest === undefined || this.members.indexOf(crossing) < this.members.indexOf(earliest))
        earliest = crossing;
    }
    return earliest;
  }

  private indexInputs(): void {
    for (const crossing of this.members.slice(this.indexed)) {
      const rule = this.comparer.ruleOf(crossing);
      if (rule === undefined) continue;
      this.rules.set(rule.id, rule);
      append(this.byInput, inputKey(rule, this.comparer.matchTextOf(crossing, rule)), crossing);
    }
    this.indexed = this.members.length;
  }
}

function inputKey(rule: ComparisonRule, text: string): string {
  return `${rule.id}\n${text}`;
}

function append(index: Map<string, Queue>, key: string, crossing: Crossing): void {
  const queue = index.get(key) ?? new Queue();
  queue.push(crossing);
  index.set(key, queue);
}
