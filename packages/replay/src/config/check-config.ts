import { ReenactError } from '@reenact/trace-model';
import type { z } from 'zod';
import { configSchema } from './config-schema.ts';

/** A configuration that was read and checked. */
export type LoadedConfig = z.infer<typeof configSchema>;

/** Names under which a configuration is looked for, in this order. */
const exportNames = ['reenact', 'config', 'default'];

function exported(module: Readonly<Record<string, unknown>>, path: string): unknown {
  const name = exportNames.find((candidate) => Object.hasOwn(module, candidate));
  if (name !== undefined) return module[name];
  const names = Object.keys(module);
  throw new ReenactError('bad-config', `${path} exports no configuration.`, {
    where: path,
    next: `Write: export const reenact = defineReenact({ entries: { … } }).${names.length === 0 ? '' : ` It exports ${names.join(', ')}.`}`,
  });
}

/**
 * Checks the configuration that a module exports as `reenact`, else `config`, else by default; `path` is its file. Throws
 * ReenactError `bad-config` naming the file and the key.
 */
export function checkConfig(module: Readonly<Record<string, unknown>>, path: string): LoadedConfig {
  const parsed = configSchema.safeParse(exported(module, path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknownKeys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const key = [...(issue?.path ?? []), ...unknownKeys.slice(0, 1)].join('.');
  const told = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  const detail = unknownKeys.length > 0 ? 'there is no such key' : (told ?? 'it is malformed');
  throw new ReenactError('bad-config', `${path} is not valid at ${key === '' ? 'its top' : key}: ${detail}.`, {
    where: path,
    next: 'The keys are entries, a record from kind:name to a loader or a text such as ./tools.ts#placeOrder, and redaction, what configureRedaction takes.',
  });
}
