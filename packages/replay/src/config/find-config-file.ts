import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** File names of a configuration, the first that exists counts. */
const CONFIG_FILE_NAMES = ['reenact.config.ts', 'reenact.config.mts', 'reenact.config.js', 'reenact.config.mjs'];

/** The configuration nearest to a folder, looked for in it and upwards; undefined where there is none. */
export function findConfigFile(folder: string): string | undefined {
  const found = CONFIG_FILE_NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
  const parent = dirname(folder);
  return found !== undefined || parent === folder ? found : findConfigFile(parent);
}
