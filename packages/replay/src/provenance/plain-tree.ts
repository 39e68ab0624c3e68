import { isTree } from '@reenact/trace-model';

function withoutTag(node: Record<string, unknown>): unknown {
  switch (node.$) {
    case 'undefined':
    case 'hole':
    case 'ref':
      return null;
    case 'def':
      return plainTree(node.value);
    case 'map':
      return plainTree(node.entries);
    case 'set':
      return plainTree(node.values);
    case 'object':
      return plainTree(node.fields);
    case 'error':
      return plainTree(node.record);
    case 'bytes':
      return node.base64;
    case 'regexp':
      return `/${String(node.source)}/${String(node.flags)}`;
    default:
      return plainTree(node.value ?? node.entries ?? null);
  }
}

/** A tagged JSON tree (docs/adr/0004) as the plain JSON it stands for: a date is its text, a map its entries. */
export function plainTree(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(plainTree);
  if (!isTree(tree)) return tree;
  if (typeof tree.$ === 'string') return withoutTag(tree);
  return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, plainTree(item)]));
}
