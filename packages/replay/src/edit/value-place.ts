import { isTree } from '@reenact/trace-model';
import type { JsonPath } from '../recorded/json-path.ts';
import { placeOfShared } from './shared-values.ts';

/** Members of the record of an error, beside which all others are its fields. */
const errorMembers: ReadonlySet<unknown> = new Set(['class', 'name', 'message', 'stack', 'cause', 'errors']);

/** The members that stand between a node of the tagged form and what a step names in the value that it stands for. */
function stepsWithin(node: Readonly<Record<string, unknown>>, step: string | number): readonly string[] {
  switch (node.$) {
    case 'def':
      return ['value'];
    case 'object':
      return ['fields'];
    case 'array':
      return [typeof step === 'number' && 'items' in node ? 'items' : 'fields'];
    case 'error':
      return errorMembers.has(step) ? ['record'] : ['record', 'fields'];
    default:
      return [];
  }
}

/** Whether the tagged form itself is meant, as who looks at one writes it: `$.fields.total`. */
function namesForm(node: Readonly<Record<string, unknown>>, step: string | number, within: readonly string[]): boolean {
  if (!Object.hasOwn(node, step)) return false;
  const inner = within.reduce<unknown>((at, name) => (isTree(at) ? at[name] : undefined), node);
  return !(isTree(inner) && Object.hasOwn(inner, step));
}

/**
 * Where in a tagged tree (docs/adr/0004) a path leads that was written for the value itself: `$.total` of an object without a prototype, as
 * each row of `node:sqlite` is, stands at `$.fields.total`, and what is there several times where it is first. A path of the tagged form stays as it is.
 */
export function placeInTree(tree: unknown, path: JsonPath): JsonPath {
  let place: (string | number)[] = [];
  let node = tree;
  const enter = (step: string | number): void => {
    place.push(step);
    node = Array.isArray(node) || isTree(node) ? (node as Record<string | number, unknown>)[step] : undefined;
  };
  for (const step of path) {
    for (;;) {
      if (isTree(node) && node.$ === 'ref') {
        const shared = placeOfShared(tree, node.id);
        if (shared === undefined) break;
        place = [];
        node = tree;
        for (const name of shared) enter(name);
      }
      const within = isTree(node) && typeof node.$ === 'string' ? stepsWithin(node, step) : [];
      if (within.length === 0 || !isTree(node) || namesForm(node, step, within)) break;
      const isWrapped = node.$ === 'def';
      for (const name of within) enter(name);
      if (!isWrapped) break;
    }
    enter(step);
  }
  return place;
}
