import { drawsInSql, recordSqlDraws } from '../draws/sql-draws.ts';
import { guarded } from '../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../patching/patch-set.ts';

/** Has runs told which statements of `node:sqlite` they run that ask SQLite for the time or a random number, wherever they were prepared. */
export class DrawingStatements {
  private readonly texts = new WeakMap<object, string>();
  private readonly patches: PatchSet;
  private isWatching = false;

  constructor(patches: PatchSet) {
    this.patches = patches;
  }

  /** Told of each statement that is prepared. Never throws. */
  prepared(statement: unknown, text: unknown): void {
    guarded('watching a statement', () => this.keep(statement as object, text), undefined);
  }

  private keep(statement: object, text: unknown): void {
    if (!drawsInSql(text)) return;
    this.texts.set(statement, text);
    // Other programs run their statements as fast as before.
    if (!this.isWatching) this.watch(Object.getPrototypeOf(statement) as object);
    this.isWatching = true;
  }

  private watch(prototype: object): void {
    const noteRun = (statement: object): void => {
      const text = this.texts.get(statement);
      if (text !== undefined) recordSqlDraws(text);
    };
    for (const key of ['run', 'get', 'all', 'iterate']) {
      this.patches.replace<AnyFunction>(prototype, key, (original) => {
        const running: AnyFunction = function (this: unknown, ...parameters) {
          noteRun(this as object);
          return Reflect.apply(original, this, parameters);
        };
        return disguised(running, original);
      });
    }
  }
}
