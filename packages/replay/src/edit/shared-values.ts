import { isTree } from '@reenact/trace-model';
import type { JsonPath } from '../recorded/json-path.ts';

type Tree = Readonly<Record<string, unknown>>;

/** The members of a node, or its items, with their steps. */
function inside(node: unknown): [step: string | number, child: unknown][] {
  if (Array.isArray(node)) return node.map((child: unknown, index) => [index, child]);
  return isTree(node) ? Object.entries(node) : [];
}

function isForm(node: unknown, form: 'def' | 'ref'): node is Tree {
  return isTree(node) && node.$ === form;
}

/** Where in a tagged tree the value stands that a `ref` of this id means; undefined where it stands nowhere. */
export function placeOfShared(tree: unknown, id: unknown): JsonPath | undefined {
  const waiting: [JsonPath, unknown][] = [[[], tree]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, node] = next;
    if (isForm(node, 'def') && node.id === id) return [...path, 'value'];
    for (const [step, child] of inside(node)) waiting.push([[...path, step], child]);
  }
  return undefined;
}

function definitionsIn(tree: unknown): Map<unknown, Tree> {
  const found = new Map<unknown, Tree>();
  const waiting = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isForm(node, 'def')) found.set(node.id, node);
    for (const [, child] of inside(node)) waiting.push(child);
  }
  return found;
}

/**
 * A tagged tree (docs/adr/0004) of which a part was replaced: what is there several times is defined where it stands first, and where that part held the
 * definition, the next place that means it has it from now on.
 */
export function withSharedValues(edited: unknown, original: unknown): unknown {
  const definitions = definitionsIn(original);
  if (definitions.size === 0) return edited;
  const defined = new Set<unknown>();
  const settled = (node: unknown): unknown => {
    if (isForm(node, 'ref') && !defined.has(node.id)) {
      const definition = definitions.get(node.id);
      return definition === undefined ? node : settled(definition);
    }
    if (isForm(node, 'def')) {
      if (defined.has(node.id)) return { $: 'ref', id: node.id };
      defined.add(node.id);
    }
    if (Array.isArray(node)) return node.map(settled);
    return isTree(node) ? Object.fromEntries(Object.entries(node).map(([key, item]) => [key, settled(item)])) : node;
  };
  return settled(edited);
}
