import { isTree, offPair } from '@reenact/trace-model';
import { CHANGED_LEAF_CHARACTERS_MAX, CHANGED_LEAVES_MAX, EVIDENCE_CHARACTERS_MIN } from '../limits.ts';

function collect(recorded: unknown, live: unknown, leaves: string[]): void {
  if (leaves.length >= CHANGED_LEAVES_MAX) return;
  if (Array.isArray(live)) {
    const before: unknown[] = Array.isArray(recorded) ? recorded : [];
    live.forEach((item, index) => {
      collect(before[index], item, leaves);
    });
    return;
  }
  if (isTree(live)) {
    for (const [key, item] of Object.entries(live)) {
      collect(isTree(recorded) && Object.hasOwn(recorded, key) ? recorded[key] : undefined, item, leaves);
    }
    return;
  }
  if (Object.is(recorded, live) || (typeof live !== 'string' && typeof live !== 'number')) return;
  const text = String(live);
  if (text.length >= EVIDENCE_CHARACTERS_MIN) leaves.push(text.slice(0, offPair(text, CHANGED_LEAF_CHARACTERS_MAX)));
}

/**
 * The strings and numbers of the live tree that the recorded tree does not have at the same place, as text. They are the
 * evidence by which a later change is traced to where its value came from (caused-by.ts).
 */
export function changedLeaves(recorded: unknown, live: unknown): string[] {
  const leaves: string[] = [];
  collect(recorded, live, leaves);
  return leaves;
}
