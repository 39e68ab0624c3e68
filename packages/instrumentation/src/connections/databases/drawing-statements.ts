import { DrawnNames } from '../../draws/drawn-names.ts';
import { recordSql } from '../../draws/record-draw.ts';
import { bindsNow, mayBindNow } from '../../draws/sql-draws.ts';
import { guarded } from '../../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';

interface Prepared {
  readonly text: string;
  readonly names: DrawnNames;
  /** How many names were known when it was looked at last. */
  judgedBy: number;
  isDrawing: boolean;
}

/** The members that run a statement, and those of a store of statements in tagged templates. */
const RUNNING = ['run', 'get', 'all', 'iterate'];

/** Has runs told which statements of `node:sqlite` they run that ask SQLite for the time or a random number, or read what it drew before, wherever they were prepared. */
export class DrawingStatements {
  private readonly patches: PatchSet;
  private readonly prototype: object;
  private readonly ofDatabases = new WeakMap<object, DrawnNames>();
  /** Files may be opened more than once. */
  private readonly ofFiles = new DrawnNames();
  private readonly statements = new WeakMap<object, Prepared>();
  private readonly ofStores = new WeakMap<object, DrawnNames>();
  private isWatching = false;
  private isWatchingStores = false;

  /** `prototype`: that of statements. */
  constructor(patches: PatchSet, prototype: object) {
    this.patches = patches;
    this.prototype = prototype;
  }

  /** Told of each database that is opened in memory, of which nobody else has anything. */
  openedInMemory(database: object): void {
    this.ofDatabases.set(database, new DrawnNames());
  }

  /** Told of each text that makes a part of a database, or that one runs by itself. Never throws. */
  executed(database: unknown, text: unknown): void {
    if (typeof text !== 'string') return;
    const names = this.namesOf(database);
    this.learn(names, text);
    recordSql(() => names.draws(text));
  }

  /** Told of what a database was found to be made of. Never throws. */
  found(database: unknown, text: string): void {
    this.learn(this.namesOf(database), text);
  }

  /** Told of each statement that is prepared. Never throws. */
  prepared(statement: unknown, database: unknown, text: unknown): void {
    if (typeof text !== 'string') return;
    const names = this.namesOf(database);
    this.statements.set(statement as object, { text, names, judgedBy: -1, isDrawing: false });
    this.learn(names, text);
    // Other programs run their statements as fast as before.
    if (!this.isWatching && mayBindNow(text)) this.watch();
  }

  /** Told of each store that runs tagged templates. Never throws. */
  storing(store: unknown, database: unknown): void {
    this.ofStores.set(store as object, this.namesOf(database));
    if (!this.isWatchingStores) guarded('watching a store of statements', () => this.watchStores(store), undefined);
  }

  private namesOf(database: unknown): DrawnNames {
    return this.ofDatabases.get(database as object) ?? this.ofFiles;
  }

  private learn(names: DrawnNames, text: string, parameters: readonly unknown[] = []): void {
    const isDrawing = guarded('watching a statement', () => names.learn(text, parameters), false);
    if (isDrawing && !this.isWatching) this.watch();
  }

  private watch(): void {
    this.isWatching = true;
    this.replace(this.prototype, (statement, parameters) => {
      const kept = this.statements.get(statement);
      if (kept === undefined) return;
      if (bindsNow(kept.text, parameters)) this.learn(kept.names, kept.text, parameters);
      recordSql(() => isDrawing(kept) || bindsNow(kept.text, parameters));
    });
  }

  private watchStores(store: unknown): void {
    this.isWatchingStores = true;
    this.replace(Object.getPrototypeOf(store) as object, (used, [strings, ...parameters]) => {
      const names = this.ofStores.get(used);
      if (names === undefined || !Array.isArray(strings)) return;
      const text = strings.join('?');
      this.learn(names, text, parameters);
      recordSql(() => names.draws(text, parameters));
    });
  }

  private replace(prototype: object, noteRun: (self: object, parameters: readonly unknown[]) => void): void {
    for (const key of RUNNING) {
      this.patches.replace<AnyFunction>(prototype, key, (original) => {
        const running: AnyFunction = function (this: unknown, ...parameters) {
          guarded('watching a statement', () => noteRun(this as object, parameters), undefined);
          return Reflect.apply(original, this, parameters);
        };
        return disguised(running, original);
      });
    }
  }
}

function isDrawing(kept: Prepared): boolean {
  const { text, names } = kept;
  if (kept.judgedBy !== names.size) {
    kept.judgedBy = names.size;
    kept.isDrawing = names.draws(text);
  }
  return kept.isDrawing;
}
