import { fileOrAddress } from './native-effects.ts';
import type { NativeEffect } from './native-library.ts';

// SQLite reads what stands in double quotes as text too, where no column has that name. Texts have megabytes, so there is no choice for each character.
const quotedOrComment = /\$(\w*)\$[\s\S]*?\$\1\$|(?:'[^']*'){1,1000}|(?:"[^"]*"){1,1000}|--[^\n]*|\/\*[\s\S]*?\*\//g;
const start = String.raw`(?:^|;)\s*(?:explain\s+(?:analyze\s+)?)?`;
const quoted = String.raw`(?:'(\d+)')?`;
/** `VACUUM INTO` of SQLite, `ATTACH` of both, and by what DuckDB writes: `COPY … TO` and `EXPORT DATABASE`. */
const placePatterns = [
  String.raw`attach\s+(?:or\s+replace\s+)?(?:database\s+)?(?:if\s+not\s+exists\s+)?${quoted}([^;]*)`,
  String.raw`vacuum\b[^;]*?\binto\s+${quoted}`,
  String.raw`copy\b(?!\s+from\s+database)[^;]*\bto\s+${quoted}`,
  String.raw`export\s+database\s+(?:[^;']*?\bto\s+)?${quoted}`,
].map((pattern) => new RegExp(start + pattern, 'gi'));
const readOnlyOption = /\(\s*(?:[^()]*,\s*)?read_only(?!\s*(?:=\s*)?(?:false|off|0))\b/i;

function textOf(literal: string): string {
  const [, tag] = /^\$(\w*)\$/.exec(literal) ?? [];
  if (tag !== undefined) return literal.slice(tag.length + 2, -tag.length - 2);
  const quote = literal.charAt(0);
  return literal.slice(1, -1).replaceAll(quote + quote, quote);
}

/**
 * What a statement of SQLite or DuckDB opens or writes other than the database that it is given to. Of what does not stand in the
 * statement itself, the `location` is undefined.
 */
export function statementPlaces(text: string): readonly NativeEffect[] {
  if (!/\b(?:attach|into|copy|export)\b/i.test(text)) return [];
  const literals: string[] = [];
  const plain = text.replace(quotedOrComment, (part) =>
    /^['"$]/.test(part) ? `'${literals.push(textOf(part)) - 1}'` : ' ',
  );
  return placePatterns.flatMap((pattern) =>
    [...plain.matchAll(pattern)].flatMap(([, index, options = '']) => {
      const location = index === undefined ? undefined : literals[Number(index)];
      if (location === undefined) return [{ type: 'file' as const, location }];
      return fileOrAddress(location, readOnlyOption.test(options));
    }),
  );
}
