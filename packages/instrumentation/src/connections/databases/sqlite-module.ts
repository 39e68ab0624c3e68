type Sqlite = typeof import('node:sqlite');

let warning: Parameters<typeof process.emitWarning> | undefined;

/**
 * `node:sqlite`, where Node.js has it. Versions that call it experimental warn as it is loaded, which the host did not ask for: that is held until
 * `warnOfSqlite`.
 */
export function sqliteModule(): Sqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = (...given: unknown[]) => {
    warning = given as Parameters<typeof emitWarning>;
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Gives the warning that was held, once: the host makes use of the module by itself. */
export function warnOfSqlite(): void {
  const given = warning;
  warning = undefined;
  if (given !== undefined) process.emitWarning(...given);
}
