import { isTree } from './json-tree.ts';

/** A value that JSON has no word for and people have one (`NaN`, `12n`, `Date(…)`); undefined for any other node. */
export function wordFor(node: Record<string, unknown>): string | undefined {
  const { $: name, value } = node;
  const members = Object.keys(node).length;
  switch (name) {
    case 'undefined':
      return members === 1 ? 'undefined' : undefined;
    case 'number':
      return members === 2 && typeof value === 'string' ? value : undefined;
    case 'bigint':
      return members === 2 && typeof value === 'string' ? `${value}n` : undefined;
    case 'decimal':
      return members === 2 && typeof value === 'string' ? value : undefined;
    case 'date':
      return members === 2 && (typeof value === 'string' || value === null) ? `Date(${value ?? 'invalid'})` : undefined;
    default:
      return undefined;
  }
}

/**
 * A recorded value as people write it: JSON, with `undefined`, `NaN`, `12n` and `Date(…)` where tagged JSON (docs/adr/0004) has an
 * object for them. For reading only: it cannot be parsed, and a text that holds such an object of its own looks the same.
 */
export function readableText(tree: unknown): string {
  if (Array.isArray(tree)) return `[${tree.map(readableText).join(',')}]`;
  // JSON that somebody else wrote may hold it, and JSON.stringify drops its sign.
  if (Object.is(tree, -0)) return '-0';
  if (!isTree(tree)) return JSON.stringify(tree) ?? 'undefined';
  const word = wordFor(tree);
  if (word !== undefined) return word;
  const members = Object.entries(tree).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${readableText(member)}`).join(',')}}`;
}
