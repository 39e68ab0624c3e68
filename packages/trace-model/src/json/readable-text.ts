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

function membersText(tree: Record<string, unknown>): string {
  const members = Object.entries(tree).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${readableText(member)}`).join(',')}}`;
}

/** An object that JSON alone cannot say, by its fields: one without a prototype, as a row of a database is, of a class, or with a member `$`. */
function objectText({
  $: name,
  class: className,
  nullPrototype,
  fields,
  ...others
}: Record<string, unknown>): string | undefined {
  if (name !== 'object' || !isTree(fields) || Object.keys(others).length > 0) return undefined;
  if (className === undefined) return membersText(fields);
  return typeof className === 'string' && nullPrototype === undefined
    ? `${className} ${membersText(fields)}`
    : undefined;
}

/** What stands in a value more than once, or within itself: `<ref *0>` before it, and `[ref *0]` where it stands again. */
function sharedText({ $: name, id, value, ...others }: Record<string, unknown>): string | undefined {
  if (typeof id !== 'number' || Object.keys(others).length > 0) return undefined;
  if (name === 'def' && value !== undefined) return `<ref *${id}> ${readableText(value)}`;
  return name === 'ref' && value === undefined ? `[ref *${id}]` : undefined;
}

/**
 * A recorded value as people write it: JSON, with `undefined`, `NaN`, `12n` and `Date(…)` where tagged JSON (docs/adr/0004) has an
 * object for them, and objects by their fields. For reading only: it cannot be parsed, and a text that holds such an object of its own looks the same.
 */
export function readableText(tree: unknown): string {
  if (Array.isArray(tree)) return `[${tree.map(readableText).join(',')}]`;
  // JSON that somebody else wrote may hold it, and JSON.stringify drops its sign.
  if (Object.is(tree, -0)) return '-0';
  if (!isTree(tree)) return JSON.stringify(tree) ?? 'undefined';
  return wordFor(tree) ?? objectText(tree) ?? sharedText(tree) ?? membersText(tree);
}
