import { isTree } from '@reenact/trace-model';

type Node = Readonly<Record<string, unknown>>;

function readableFields(fields: unknown): unknown {
  if (!isTree(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, readableTree(value)]));
}

function readableError(record: unknown): unknown {
  return isTree(record) ? { name: record.name, message: record.message } : record;
}

function readableTag(node: Node): unknown {
  switch (node.$) {
    case 'undefined':
    case 'hole':
      return null;
    case 'def':
      return readableTree(node.value);
    case 'object':
      return readableFields(node.fields);
    case 'map':
      return readableTree(node.entries);
    case 'set':
      return readableTree(node.values);
    case 'headers':
      return node.entries;
    case 'bytes':
      return node.base64;
    case 'regexp':
      return `/${String(node.source)}/${String(node.flags)}`;
    case 'error':
      return readableError(node.record);
    case 'ref':
    case 'handle':
    case 'function':
      return `[${String(node.$)} ${String(node.class ?? node.name ?? node.id)}]`;
    default:
      return readableTree(node.value ?? null);
  }
}

/** A payload's JSON tree as people and other tools read it: tagged values become the plain JSON that is nearest to them. */
export function readableTree(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(readableTree);
  if (!isTree(tree)) return tree;
  return typeof tree.$ === 'string' ? readableTag(tree) : readableFields(tree);
}
