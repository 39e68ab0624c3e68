import { tmpdir } from 'node:os';
import { resolve, sep } from 'node:path';
import { DrawnNames } from '../../draws/drawn-names.ts';
import { recordSql } from '../../draws/record-draw.ts';
import { bindsNow } from '../../draws/sql-draws.ts';
import { guarded } from '../../host/report-failure.ts';
import type { PatchSet } from '../../patching/patch-set.ts';
import { databaseFileEffect } from '../files/database-file-effect.ts';
import { realPath } from '../files/real-path.ts';
import { isScratchFile } from '../files/scratch-files.ts';
import { recordConnection } from '../unseen/record-connection.ts';
import { reportModelCall } from '../unseen/report-model-call.ts';
import { duringLoad } from './during-load.ts';
import { MadeSince, startOfReplayMs } from './made-since.ts';
import type { NativeEffect } from './native-library.ts';
import { statementPlaces } from './statement-places.ts';
import { listenToAddOns, type NativeCall, watchLoadedAddOn } from './watched-add-on.ts';

/** As it is named in a mark, without what an address may hold of secrets. */
function placeOf(effect: NativeEffect | undefined): string {
  switch (effect?.type) {
    case undefined:
      return 'database';
    case 'program':
      return `program ${effect.program}`;
    case 'address':
      return (URL.canParse(effect.address) && new URL(effect.address).host) || 'database';
    case 'file':
      return effect.location === undefined ? 'database' : `database ${String(effect.location)}`;
    case 'write':
      return `file ${effect.path}`;
    case 'model':
      return `model of ${effect.call}`;
  }
}

/** What is written among temporary files a replay writes, too. */
function isScratch(effect: NativeEffect): boolean {
  return effect.type === 'write' && resolve(effect.path).startsWith(resolve(tmpdir()) + sep);
}

/** Tells which databases a replay opens again, and which of them it lets happen: what this process makes among temporary files, that makes again. */
class Databases {
  private readonly temporary = realPath(tmpdir());
  private readonly made = new MadeSince(startOfReplayMs(undefined));

  isRefused(effect: NativeEffect): boolean {
    if (effect.type === 'address') return true;
    const paths = effect.type === 'file' ? databaseFileEffect('', effect.location)?.paths : undefined;
    return paths?.some((path) => path === undefined || !this.isScratch(path)) === true;
  }

  private isScratch(path: string): boolean {
    return isScratchFile(path, this.temporary) && this.made.includes(path);
  }
}

/** What a call comes to outside of the process; undefined where nobody knows what was opened. */
function effectsOf({ effects, statement }: NativeCall): readonly NativeEffect[] | undefined {
  // What is in memory may still write elsewhere.
  return effects?.length === 0 && statement !== undefined ? statementPlaces(statement) : effects;
}

/** Libraries that bring SQLite, or what asks for the time and random numbers as it does. */
const sqliteLibraries: ReadonlySet<string> = new Set([
  'better-sqlite3',
  'libsql',
  'sqlite3',
  '@tursodatabase/database',
]);

/** What databases of such libraries hold that they drew themselves. */
class DrawnDatabases {
  /** By the list that stands for the opening: of one that no file is opened for, nobody else has anything. */
  private readonly alone = new WeakMap<readonly NativeEffect[], DrawnNames>();
  private readonly others = new DrawnNames();

  note({ effects, parameters = [] }: NativeCall, text: string): void {
    const names = effects?.length === 0 ? this.namesAlone(effects) : this.others;
    // One that was prepared has been looked at then.
    const isNew = parameters.includes(text) || bindsNow(text, parameters);
    if (isNew) guarded('watching a statement', () => names.learn(text, parameters), false);
    recordSql(() => names.draws(text, parameters));
  }

  private namesAlone(opening: readonly NativeEffect[]): DrawnNames {
    const names = this.alone.get(opening) ?? new DrawnNames();
    this.alone.set(opening, names);
    return names;
  }
}

function record(call: NativeCall, databases: Databases, drawn: DrawnDatabases): undefined {
  const { library, effects, statement } = call;
  if (statement !== undefined && sqliteLibraries.has(library.name)) drawn.note(call, statement);
  if (effects?.every(isScratch) === true && statement === undefined) return;
  // What is said of a use depends on nothing but what is open.
  const source = effects?.length === 0 ? undefined : effects;
  recordConnection(() => {
    const found = effectsOf(call);
    if (found?.length === 0) return undefined;
    const isDatabase = found?.some((effect) => databases.isRefused(effect)) === true;
    return { place: placeOf(found?.[0]), package: library.name, isDatabase };
  }, source);
  if (effects?.[0]?.type === 'model') reportModelCall(() => library.name);
}

/**
 * Notes what agents open by native add-ons, and that they use it: none of it is recorded, and the guard of a replay refuses the opening.
 * Of a library that is loaded already nothing is seen. Gives how to stop.
 */
export function watchAddOns(patches: PatchSet): () => void {
  patches.wrap(process, 'dlopen', ({ parameters, proceed }) =>
    duringLoad(() => {
      const result = proceed();
      guarded('watching a native add-on', () => watchLoadedAddOn(parameters[0] as { exports: unknown }), undefined);
      return result;
    }),
  );
  const databases = new Databases();
  const drawn = new DrawnDatabases();
  return listenToAddOns((call) => record(call, databases, drawn));
}
