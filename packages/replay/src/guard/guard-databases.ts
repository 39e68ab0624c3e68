import type { DatabaseSync } from 'node:sqlite';
import {
  databaseFileEffect,
  openedDatabaseEffect,
  type PatchSet,
  type PlatformFunction,
  sqlEffectOf,
  sqliteModule,
  wrapFunction,
} from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { asking, type EffectOf } from './refusals.ts';
import { statementEffects } from './statement-effects.ts';

/** A database that was opened before the replay began: what would have been refused is refused when it is written to. */
function openedEffect(name: string, database: unknown, text: unknown): AttemptedEffect | undefined {
  if (typeof text !== 'string' || sqlEffectOf(text) === 'read') return undefined;
  const { location } = database as Partial<DatabaseSync>;
  // Before Node.js 24 and 22.16 a database did not know its file.
  const path = typeof location === 'function' ? Reflect.apply(location, database, []) : null;
  return path === null ? undefined : databaseFileEffect(name, path);
}

function effectOfStatement(name: string): EffectOf {
  return (parameters, self) => {
    const [text] = parameters;
    const opened = openedEffect(name, self, text);
    return [...statementEffects(name, text), ...(opened === undefined ? [] : [opened])];
  };
}

/** Guards `node:sqlite`: opening a file for writing, and writing to one that is open. Databases in memory and opened read-only are allowed. */
export function guardDatabases(patches: PatchSet, judge: EffectJudge): void {
  const sqlite = sqliteModule();
  if (sqlite === undefined) return;
  const { prototype } = sqlite.DatabaseSync;
  patches.replace(sqlite, 'DatabaseSync', (original) => {
    return new Proxy(original as new (...parameters: unknown[]) => object, {
      construct: (target, parameters: unknown[], newTarget) => {
        const [location, options] = parameters;
        const refusal = judge.refusalOf(() => openedDatabaseEffect('sqlite.DatabaseSync', location, options));
        if (refusal !== undefined) throw refusal;
        return Reflect.construct(target, parameters, newTarget);
      },
    });
  });
  for (const key of ['exec', 'prepare']) {
    patches.replace<PlatformFunction>(prototype, key, (original) =>
      wrapFunction(original, asking(judge, 'throw', effectOfStatement(`sqlite.DatabaseSync.${key}`))),
    );
  }
  patches.wrap(
    sqlite,
    'backup',
    asking(judge, 'reject', ([, path]) => databaseFileEffect('sqlite.backup', path)),
  );
}
