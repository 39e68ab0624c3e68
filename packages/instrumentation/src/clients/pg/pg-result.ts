const resultMembers = ['command', 'rowCount', 'oid', 'rows', 'fields'] as const;

/** Columns as plain objects. */
export function plainFields(fields: unknown): unknown {
  if (!Array.isArray(fields)) return fields;
  return fields.map((field: unknown) => (typeof field === 'object' && field !== null ? { ...field } : field));
}

/** pg's result without its parsers, which are functions. Several statements in one text give several results. */
export function plainResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plainResult);
  if (typeof result !== 'object' || result === null || !('rows' in result)) return result;
  const kept = Object.fromEntries(resultMembers.map((member) => [member, Reflect.get(result, member) as unknown]));
  return { ...kept, fields: plainFields(kept.fields) };
}
