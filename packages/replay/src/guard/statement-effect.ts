import { databaseFileEffect } from './database-file-effect.ts';
import type { EffectOf } from './refusals.ts';

// SQLite reads what stands in double quotes as text too, where no column has that name.
const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Judges statements of SQLite, given first, that open or write another file than the database's own: ATTACH, and VACUUM INTO. */
export function statementEffect(name: string): EffectOf {
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
    return databaseFileEffect(name, literal.slice(1, -1).replaceAll(quote + quote, quote));
  };
}
