/** Of the driver, which gives it to nobody: what a replay gives is called like it, prints like it and says the same in JSON. */
class ResultSetImpl {
  readonly columns: readonly string[];
  readonly columnTypes: readonly string[] | undefined;
  readonly rows: readonly object[];
  readonly rowsAffected: unknown;
  readonly lastInsertRowid: unknown;

  constructor({ columns, columnTypes, rows, rowsAffected, lastInsertRowid }: KeptResultSet) {
    this.columns = columns;
    this.columnTypes = columnTypes;
    this.rows = rows.map((values) => rowOf(values, columns));
    this.rowsAffected = rowsAffected;
    this.lastInsertRowid = lastInsertRowid;
  }

  toJSON(): object {
    return {
      columns: this.columns,
      columnTypes: this.columnTypes,
      rows: this.rows.map((row) => Array.from(row as ArrayLike<unknown>, jsonValue)),
      rowsAffected: this.rowsAffected,
      lastInsertRowid: this.lastInsertRowid === undefined ? null : String(this.lastInsertRowid),
    };
  }
}

/** A result set with the values of each row in their order: by index, name and length the driver's rows say the same thrice. */
interface KeptResultSet {
  readonly columns: readonly string[];
  readonly columnTypes?: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly rowsAffected: unknown;
  readonly lastInsertRowid: unknown;
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value;
}

/** As the driver makes them: only columns show, and a column that is called like an index or like another one is reached by index alone. */
function rowOf(values: readonly unknown[], columns: readonly string[]): object {
  const row = Object.defineProperty({}, 'length', { value: values.length });
  for (const [index, value] of values.entries()) {
    Object.defineProperty(row, index, { value });
    const column = columns[index];
    if (column === undefined || Object.hasOwn(row, column)) continue;
    Object.defineProperty(row, column, { value, enumerable: true, configurable: true, writable: true });
  }
  return row;
}

function isResultSet(
  value: unknown,
): value is { readonly columns: readonly string[]; readonly rows: readonly object[] } {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(Reflect.get(value, 'columns')) && Array.isArray(Reflect.get(value, 'rows'));
}

/** What is recorded of a result set, or of a list of them; anything else as it is. */
export function plainLibsqlResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plainLibsqlResult);
  if (!isResultSet(result)) return result;
  return { ...result, rows: result.rows.map((row) => Array.from(row as ArrayLike<unknown>)) };
}

/** The result set again, with rows as the driver makes them. */
export function revivedLibsqlResult(kept: unknown): unknown {
  if (Array.isArray(kept)) return kept.map(revivedLibsqlResult);
  return isResultSet(kept) && kept.rows.every(Array.isArray)
    ? new ResultSetImpl(kept as unknown as KeptResultSet)
    : kept;
}
