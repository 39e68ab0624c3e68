import { DRAWN_NAMES_MAX } from '../limits.ts';
import { bindsNow, drawsInSql } from './sql-draws.ts';

/** Statements of a text: what stands in quotes or in a comment may hold a semicolon. */
const statements =
  /(?:[^;'"`[\-/]+|(?:'[^']*'){1,1000}|(?:"[^"]*"){1,1000}|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[^;])+/g;

/** Behind what the name of a table or a view stands that a statement makes or writes to. */
const written = new RegExp(
  [
    String.raw`\b(?:into|update(?:\s+or\s+\w+)?|delete\s+from|table(?:\s+if\s+not\s+exists)?|view(?:\s+if\s+not\s+exists)?|rename\s+to)\s+`,
    String.raw`(?!(?:on|of|set)\b)`,
    String.raw`(?:(?:\w+|"[^"]*"|\[[^\]]*\]|${'`'}[^${'`'}]*${'`'})\s*\.\s*)?`,
    String.raw`(?:"([^"]+)"|\[([^\]]+)\]|${'`'}([^${'`'}]+)${'`'}|'([^']+)'|([\w$\u0080-\uffff]+))`,
  ].join(''),
  'gi',
);

const anything = /^/;

/** Whatever a regular expression takes for more than a letter. */
function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/**
 * The tables and views of a database of SQLite that hold, or ask for, what it drew itself: a default, a view or a trigger does so later, in statements that say nothing of it,
 * and so does what was written before a run. As far as the texts of its statements tell.
 */
export class DrawnNames {
  private readonly names = new Set<string>();
  private mention: RegExp | undefined;

  /** How many there are: what was judged by fewer may be judged otherwise now. */
  get size(): number {
    return this.names.size;
  }

  /** Told of each text that is run or prepared; gives whether that draws. */
  learn(text: string, parameters: readonly unknown[] = []): boolean {
    if (!this.draws(text, parameters)) return false;
    for (const [statement] of text.matchAll(statements)) {
      if (this.draws(statement, parameters)) this.learnFrom(statement);
    }
    return true;
  }

  private learnFrom(statement: string): void {
    for (const [, ...groups] of statement.matchAll(written)) {
      const name = groups.find((group) => group !== undefined)?.toLowerCase();
      if (name === undefined || this.names.has(name)) continue;
      this.names.add(name);
      // Beyond that, whatever is asked may be one of them.
      this.mention =
        this.size > DRAWN_NAMES_MAX
          ? anything
          : new RegExp(String.raw`(?<![\w$])(?:${Array.from(this.names, asPattern).join('|')})(?![\w$])`, 'i');
    }
  }

  /** Whether a statement of this text, run with these parameters, has SQLite draw, or reads what that drew. */
  draws(text: string, parameters: readonly unknown[] = []): boolean {
    return drawsInSql(text) || this.mention?.test(text) === true || bindsNow(text, parameters);
  }
}
