import { JSON_IN_TEXT_CHARACTERS_MAX, JSON_IN_TEXT_DEPTH_MAX } from '../limits.ts';
import { isTree } from './json-tree.ts';
import { parseJsonWithNumbers } from './parse-json-with-numbers.ts';

/** Leads in a path from a text into the JSON that it holds: `$.messages[6].content › $.quantity`. */
export const JSON_IN_TEXT_STEP = ' › $';

function isNoDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthMax > 0 && Object.values(value).every((member) => isNoDeeper(member, depthMax - 1));
}

function treeIn(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > JSON_IN_TEXT_CHARACTERS_MAX || !/^\s*[[{]/.test(value))
    return undefined;
  try {
    const tree = parseJsonWithNumbers(value);
    return isNoDeeper(tree, JSON_IN_TEXT_DEPTH_MAX) ? tree : undefined;
  } catch {
    return undefined;
  }
}

/** Two that have nothing in common are better read one beside the other, as a whole. */
function haveSomeInCommon(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) return left.length > 0 && right.length > 0;
  return isTree(left) && isTree(right) && Object.keys(left).some((name) => Object.hasOwn(right, name));
}

/**
 * What two differing values hold where both are texts of JSON, as a tool's arguments and answer are in what a model is asked: two objects
 * with a name in common, or two lists. Undefined for all others, and for texts that are too long or too deep. Trees may be equal where the
 * texts are not.
 */
export function jsonInTexts(left: unknown, right: unknown): readonly [unknown, unknown] | undefined {
  const leftTree = treeIn(left);
  if (leftTree === undefined) return undefined;
  const rightTree = treeIn(right);
  return haveSomeInCommon(leftTree, rightTree) ? [leftTree, rightTree] : undefined;
}
