import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

const binSuffix = sep + join('reenact', 'bin', 'reenact.mjs');

/**
 * Whether this process is a `reenact` command, of this or another installation. `script`: `process.argv[1]`, which is the
 * link in `node_modules/.bin` where the command was started by its name.
 */
export function isOwnCommandLine(script: string | undefined): boolean {
  if (script === undefined) return false;
  try {
    return realpathSync(script).endsWith(binSuffix);
  } catch {
    return false;
  }
}
