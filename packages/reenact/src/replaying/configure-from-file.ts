import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { configureRedaction } from '@reenact/instrumentation';
import type * as redactionLoading from '@reenact/replay/load-redaction';

const require = createRequire(import.meta.url);

/** Names the `reenact.config.ts` of a process, absolute or relative to its working directory. */
export const CONFIG_VARIABLE = 'REENACT_CONFIG';

/** The configuration that the environment names, by its absolute path; undefined where it names none. */
export function namedConfig(environment: NodeJS.ProcessEnv, folder: string = process.cwd()): string | undefined {
  const named = environment[CONFIG_VARIABLE];
  return named === undefined || named === '' ? undefined : resolve(folder, named);
}

/**
 * Puts the redaction of the configuration that the environment names in force. Without one it loads nothing: what reads a
 * configuration is no part of every start (docs/adr/0030). Runs the file. Throws ReenactError `bad-config`.
 */
export function configureFromFile(environment: NodeJS.ProcessEnv): void {
  const path = namedConfig(environment);
  if (path === undefined) return;
  const { loadRedaction }: typeof redactionLoading = require('@reenact/replay/load-redaction');
  const redaction = loadRedaction(path);
  if (redaction !== undefined) configureRedaction(redaction);
}
