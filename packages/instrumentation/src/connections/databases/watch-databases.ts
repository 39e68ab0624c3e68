import { tmpdir } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';
import type { Callee } from '../../source-line.ts';
import { databaseFileEffect, openedDatabaseEffect } from '../files/database-file-effect.ts';
import type { FileEffect } from '../files/file-effect.ts';
import { realPath } from '../files/real-path.ts';
import { isOutputOrToolScratch, isScratchFile } from '../files/scratch-files.ts';
import { MadeSince, startOfReplayMs } from '../native/made-since.ts';
import type { NativeEffect } from '../native/native-library.ts';
import { statementPlaces } from '../native/statement-places.ts';
import { changingCode } from '../unseen/connecting-code.ts';
import { FILE_PLACE } from '../unseen/connection-list.ts';
import { recordFileChange } from '../unseen/record-connection.ts';
import { DrawingStatements } from './drawing-statements.ts';
import { sqliteModule, warnOfSqlite } from './sqlite-module.ts';

type DatabaseClass = new (...parameters: unknown[]) => object;

/** Tells which databases of SQLite code opens, and uses. */
class OpenedDatabases {
  /** By the database; undefined where a replay opens it as well. */
  private readonly places = new WeakMap<object, string | undefined>();
  private readonly temporary = realPath(tmpdir());
  /** What this process makes among temporary files, its replay makes again. */
  private readonly made = new MadeSince(startOfReplayMs(undefined));

  /** What is told of an opening; undefined where a replay lets it happen. */
  placeOf(effect: FileEffect | undefined): string | undefined {
    const isScratch = effect?.paths.every((path) => path !== undefined && this.isScratch(path)) ?? true;
    return isScratch ? undefined : `${FILE_PLACE}${effect?.target}`;
  }

  keep(database: object, place: string | undefined): void {
    this.places.set(database, place);
  }

  /** Notes for the agent around this call of `callee` what it opens, or uses. Never throws. */
  note(callee: Callee, placeOf: () => string | undefined): void {
    recordFileChange(placeOf, (place) => {
      const code = changingCode(callee);
      return code === undefined ? undefined : { place, package: code.package };
    });
  }

  /** What a statement touches: the database that it is given to, and else what it names. */
  placeOfStatement(database: object, text: unknown): string | undefined {
    const ofDatabase = this.places.get(database);
    if (ofDatabase !== undefined || typeof text !== 'string') return ofDatabase;
    for (const effect of statementPlaces(text)) {
      const place = this.placeOf(fileOf(effect));
      if (place !== undefined) return place;
    }
    return undefined;
  }

  private isScratch(path: string): boolean {
    return isOutputOrToolScratch(path) || (isScratchFile(path, this.temporary) && this.made.includes(path));
  }
}

function fileOf(effect: NativeEffect): FileEffect | undefined {
  return effect.type === 'file' ? databaseFileEffect('sqlite statement', effect.location) : undefined;
}

interface Watching {
  readonly patches: PatchSet;
  readonly databases: OpenedDatabases;
  readonly statements: DrawingStatements;
}

/** Has it known what the views draw that a file has which is opened for reading only: of all others what is made is seen. */
function findViews(statements: DrawingStatements, database: DatabaseSync, options: unknown): void {
  const { readOnly, open } = (options ?? {}) as { readonly readOnly?: unknown; readonly open?: unknown };
  if (readOnly !== true || open === false) return;
  const views = database.prepare("SELECT sql FROM sqlite_master WHERE type = 'view'").all();
  for (const { sql } of views) if (typeof sql === 'string') statements.found(database, sql);
}

function watchOpening({ patches, databases, statements }: Watching, sqlite: typeof import('node:sqlite')): void {
  const { prototype } = sqlite.DatabaseSync;
  const construct = (original: DatabaseClass, parameters: unknown[], newTarget: DatabaseClass): object => {
    guarded('warning of SQLite', warnOfSqlite, undefined);
    const [location, options] = parameters;
    const openedAs = (): string | undefined =>
      databases.placeOf(openedDatabaseEffect('sqlite.DatabaseSync', location, options));
    const place = guarded('watching a database', openedAs, undefined);
    if (place !== undefined) databases.note(construct, () => place);
    const database = Reflect.construct(original, parameters, newTarget) as object;
    databases.keep(database, place);
    if (location === ':memory:') statements.openedInMemory(database);
    else attempted(() => findViews(statements, database as DatabaseSync, options));
    return database;
  };
  let watched: DatabaseClass | undefined;
  patches.replace<DatabaseClass>(sqlite, 'DatabaseSync', (original) => {
    watched = new Proxy(original, { construct });
    return watched;
  });
  // Who asks a database for its class gets the very one that is exported.
  patches.replace(prototype, 'constructor', (original) => watched ?? original);
}

/** Of a file that is none of SQLite, or in use, the host itself finds out. */
function attempted(look: () => void): void {
  try {
    look();
  } catch {
    // What its views draw is not known then.
  }
}

function watchUse({ patches, databases, statements }: Watching, prototype: object): void {
  for (const key of ['exec', 'prepare']) {
    patches.replace<AnyFunction>(prototype, key, (original) => {
      const using: AnyFunction = function (this: unknown, ...parameters) {
        const [text] = parameters;
        databases.note(using, () => databases.placeOfStatement(this as object, text));
        if (key === 'exec') statements.executed(this, text);
        const result: unknown = Reflect.apply(original, this, parameters);
        if (key === 'prepare') statements.prepared(result, this, text);
        return result;
      };
      return disguised(using, original);
    });
  }
}

function watchStores({ patches, statements }: Watching, prototype: object): void {
  // Older ones have none.
  if (!('createTagStore' in prototype)) return;
  patches.replace<AnyFunction>(prototype, 'createTagStore', (original) => {
    const storing: AnyFunction = function (this: unknown, ...parameters) {
      const store: unknown = Reflect.apply(original, this, parameters);
      statements.storing(store, this);
      return store;
    };
    return disguised(storing, original);
  });
}

function watchCopying(patches: PatchSet, databases: OpenedDatabases, sqlite: object): void {
  patches.replace<AnyFunction>(sqlite, 'backup', (original) => {
    const copying: AnyFunction = function (this: unknown, ...parameters) {
      databases.note(copying, () => databases.placeOf(databaseFileEffect('sqlite.backup', parameters[1])));
      return Reflect.apply(original, this, parameters);
    };
    return disguised(copying, original);
  });
}

/**
 * Notes which databases of `node:sqlite` agents open for writing, and that they use them, as the guard of a replay judges it: it refuses the opening.
 * Those in memory, and opened for reading only, are let be; what goes through a wrapped client is recorded.
 */
export function watchDatabases(patches: PatchSet): void {
  const sqlite = sqliteModule();
  if (sqlite === undefined) return;
  const databases = new OpenedDatabases();
  const statements = new DrawingStatements(patches, sqlite.StatementSync.prototype);
  const watching = { patches, databases, statements };
  watchOpening(watching, sqlite);
  watchUse(watching, sqlite.DatabaseSync.prototype);
  watchStores(watching, sqlite.DatabaseSync.prototype);
  watchCopying(patches, databases, sqlite);
}
