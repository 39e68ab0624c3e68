import { dirname, resolve } from 'node:path';
import { closestName, isReenactError, ReenactError } from '@reenact/trace-model';
import type { EntryLoader } from './config-schema.ts';
import type { EntryFunction } from './entry-function.ts';
import type { EntryOrder } from './entry-order.ts';
import { loadConfig } from './load-config.ts';
import { loadModule, nextAfterLoadFailure } from './load-module.ts';

/** The line that maps a crossing to a function, for a person to complete. */
export function entryLine(label: string): string {
  return `entries: { '${label}': './<file>#<exported function>' }`;
}

/** Splits `file#export`; without `#` the default export is meant. The file is taken relative to `folder`. */
export function resolveReference(reference: string, folder: string): { readonly file: string; readonly name: string } {
  const [file = '', name = 'default'] = reference.split('#');
  return { file: resolve(folder, file), name };
}

async function loadReference(reference: string, folder: string, where: string): Promise<EntryFunction> {
  const { file, name } = resolveReference(reference, folder);
  const module = await loadModule(file, where);
  const found = module[name];
  if (typeof found === 'function') return found as EntryFunction;
  const functions = Object.keys(module).filter((key) => typeof module[key] === 'function');
  const close = closestName(name, functions);
  const hint = close === undefined ? '' : ` Did you mean "${close}"?`;
  const state = Object.hasOwn(module, name) ? 'is no function' : 'does not exist';
  throw new ReenactError('bad-config', `The export "${name}" of ${file} ${state}.${hint}`, {
    where,
    next: functions.length === 0 ? 'Export the function.' : `Name one of: ${functions.join(', ')}.`,
  });
}

function requireFunction(found: unknown, where: string): EntryFunction {
  if (typeof found === 'function') return found as EntryFunction;
  throw new ReenactError('bad-config', 'The entry gave no function.', {
    where,
    next: "Let the loader give the exported function: () => import('./trader.ts').then((module) => module.answerCustomer).",
  });
}

async function loadFromConfig(path: string, label: string): Promise<EntryFunction> {
  const { entries } = await loadConfig(path);
  const entry = Object.hasOwn(entries, label) ? entries[label] : undefined;
  const where = `${path} entries.${label}`;
  if (entry === undefined) {
    const close = closestName(label, Object.keys(entries));
    throw new ReenactError('unsupported', `${path} has no entry for ${label}.`, {
      where: label,
      next: `Add it to ${path}: ${entryLine(label)}${close === undefined ? '' : `\nThe closest it has is ${close}.`}\nOr replay the whole run it belongs to with a command: \`reenact replay <span id of the run> -- node app.mjs\``,
    });
  }
  if (typeof entry === 'string') return loadReference(entry, dirname(path), where);
  return runLoader(entry, label, where);
}

async function runLoader(loader: EntryLoader, label: string, where: string): Promise<EntryFunction> {
  // Called as a loader, the function itself would run without its arguments.
  if (loader.length > 0) {
    throw new ReenactError('bad-config', `The entry ${label} takes arguments, so it is the function and no loader.`, {
      where,
      next: `Give a function that gives it: '${label}': () => ${loader.name === '' ? 'theFunction' : loader.name}.`,
    });
  }
  try {
    return requireFunction(await loader(), where);
  } catch (thrown) {
    if (isReenactError(thrown)) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ReenactError('bad-config', `The loader of the entry ${label} failed: ${message}`, {
      where,
      next: nextAfterLoadFailure(thrown),
      cause: thrown,
    });
  }
}

/**
 * Loads the function that stands for a crossing; `label` is its `kind:name`. Runs code of the user, so only a process that
 * takes part in the replay may call it. Throws ReenactError `bad-config`, or `unsupported` where the configuration has no
 * such entry.
 */
export function loadEntry(order: EntryOrder, label: string): Promise<EntryFunction> {
  if ('config' in order) return loadFromConfig(order.config, label);
  return loadReference(order.reference, '/', order.reference);
}
