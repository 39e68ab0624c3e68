type Tree = Record<string, unknown>;

/** Whether a JSON value is an object and not an array. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function writeObject(value: Tree): string {
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** JSON with sorted keys and no white space (the ordering rule of RFC 8785): equal trees give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isTree(value)) return writeObject(value);
  return JSON.stringify(value) ?? 'null';
}

/** One step of a JSON path: `.name`, `["odd name"]` or `[3]`. */
export function pathStep(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
