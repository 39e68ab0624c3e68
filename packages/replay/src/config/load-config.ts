import { checkConfig, type LoadedConfig } from './check-config.ts';
import { loadModule } from './load-module.ts';

/**
 * Loads and checks a configuration file by its absolute path: its export `reenact`, else `config`, else the default export.
 * Runs the file. Throws ReenactError `bad-config` naming the file and the key.
 */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  return checkConfig(await loadModule(path, path), path);
}
