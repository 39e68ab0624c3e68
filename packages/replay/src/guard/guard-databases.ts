import { fileURLToPath } from 'node:url';
import { type PatchSet, type PlatformFunction, wrapFunction } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { absolutePath, realPath } from './real-path.ts';
import { asking, type EffectOf } from './refusals.ts';

/** Loading this module prints a warning that it is experimental, which the agent did not ask for. */
function loadQuietly(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function fileEffect(name: string, location: unknown): AttemptedEffect | undefined {
  if (location instanceof URL || (typeof location === 'string' && location.startsWith('file:'))) {
    return urlEffect(name, String(location));
  }
  if (location === '' || location === ':memory:') return undefined;
  const path = absolutePath(location);
  return path === undefined ? undefined : { type: 'file', name, paths: [realPath(path)], target: path };
}

function urlEffect(name: string, text: string): AttemptedEffect | undefined {
  if (text.startsWith('file::memory:')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { type: 'file', name, paths: [undefined], target: text };
  const { searchParams } = url;
  const mode = searchParams.get('mode');
  if (mode === 'ro' || mode === 'memory') return undefined;
  const path = fileURLToPath(new URL(url.pathname, 'file:'));
  return { type: 'file', name, paths: [realPath(path)], target: path };
}

function isReadOnly(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'readOnly' in options && options.readOnly === true;
}

// SQLite reads what stands in double quotes as text too, where no column has that name.
const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Statements that open or write another file than the database's own: ATTACH, and VACUUM INTO. */
function statementEffect(name: string): EffectOf {
  return ([text]) => {
    if (typeof text !== 'string' || !/\b(attach|into)\b/i.test(text)) return undefined;
    const literals: string[] = [];
    const plain = text.replace(quotedOrComment, (part) =>
      part.startsWith("'") || part.startsWith('"') ? `'${literals.push(part) - 1}'` : ' ',
    );
    const match = /(?:^|;)\s*(?:attach\s+(?:database\s+)?|vacuum\b[^;]*?\binto\s+)(?:'(\d+)')?/i.exec(plain);
    if (match === null) return undefined;
    const literal = match[1] === undefined ? undefined : literals[Number(match[1])];
    if (literal === undefined) return { type: 'file', name, paths: [undefined], target: text.slice(0, 80) };
    const quote = literal.charAt(0);
    return fileEffect(name, literal.slice(1, -1).replaceAll(quote + quote, quote));
  };
}

/** Guards `node:sqlite`: opening a file for writing. Databases in memory and opened read-only are allowed. */
export function guardDatabases(patches: PatchSet, judge: EffectJudge): void {
  const sqlite = loadQuietly();
  if (sqlite === undefined) return;
  const { prototype } = sqlite.DatabaseSync;
  patches.replace(sqlite, 'DatabaseSync', (original) => {
    return new Proxy(original as new (...parameters: unknown[]) => object, {
      construct: (target, parameters: unknown[], newTarget) => {
        const [location, options] = parameters;
        const refusal = judge.refusalOf(() =>
          isReadOnly(options) ? undefined : fileEffect('sqlite.DatabaseSync', location),
        );
        if (refusal !== undefined) throw refusal;
        return Reflect.construct(target, parameters, newTarget);
      },
    });
  });
  for (const key of ['exec', 'prepare']) {
    patches.replace<PlatformFunction>(prototype, key, (original) =>
      wrapFunction(original, asking(judge, 'throw', statementEffect(`sqlite.DatabaseSync.${key}`))),
    );
  }
  patches.wrap(
    sqlite,
    'backup',
    asking(judge, 'reject', ([, path]) => fileEffect('sqlite.backup', path)),
  );
}
