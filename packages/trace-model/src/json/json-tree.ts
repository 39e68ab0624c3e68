type Tree = Record<string, unknown>;

/** Whether a JSON value is an object and not an array. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the members of every object in a JSON tree are in order and have a value: then JSON writes it canonically. */
function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  if (Array.isArray(value)) return value.every(isInOrder);
  if (!isPlain(value)) return false;
  let before: string | undefined;
  for (const key of Object.keys(value)) {
    const member = (value as Tree)[key];
    if ((before !== undefined && key < before) || member === undefined || !isInOrder(member)) return false;
    before = key;
  }
  return true;
}

/** Nothing but an object of the language: JSON would ask anything else how it wants to be written. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && typeof (value as Tree).toJSON !== 'function';
}

function writeObject(value: Tree, written?: ReadonlyMap<string, string>): string {
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${written?.get(key) ?? writeSorted(member)}`;
  }
  return `{${members}}`;
}

function writeSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(',')}]`;
  if (isTree(value)) return writeObject(value);
  return JSON.stringify(value) ?? 'null';
}

/** JSON with sorted keys and no white space (the ordering rule of RFC 8785): equal trees give equal text. */
export function canonicalJson(value: unknown): string {
  return isInOrder(value) ? (JSON.stringify(value) ?? 'null') : writeSorted(value);
}

/** The same of an object of which some members are written already, which it has in any case. */
export function canonicalJsonWith(tree: Tree, written: ReadonlyMap<string, string>): string {
  return writeObject(tree, written);
}

/** One step of a JSON path: `.name`, `["odd name"]` or `[3]`. */
export function pathStep(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
