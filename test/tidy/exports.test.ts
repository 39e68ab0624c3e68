import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { codeFiles, paths, read } from './source-tree.ts';

const indexes = codeFiles.filter(({ path }) => /^(packages\/[^/]+|collector)\/src\/index\.ts$/.test(path));

/** Code, and pages for users: a record of a decision calls nothing. */
const readers = [
  ...codeFiles,
  ...paths
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/adr/'))
    .map((path) => ({ path, text: read(path) })),
].map(({ path, text }) => ({ path, words: new Set(text.match(/[\w$]+/g)) }));

/** What an index gives at run time. */
function valuesOf({ path, text }: (typeof codeFiles)[number]): string[] {
  return parseSync(path, text).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, exportName }) => (isType || exportName.name === null ? [] : [exportName.name])),
  );
}

describe('what a package exports', () => {
  it('is used by another workspace, or told of on a page', () => {
    const idle = indexes.flatMap((index) => {
      const own = index.path.slice(0, index.path.indexOf('src/'));
      const others = readers.filter(({ path }) => !path.startsWith(`${own}src/`));
      return valuesOf(index)
        .filter((name) => !others.some(({ words }) => words.has(name)))
        .map((name) => `${own} exports ${name}`);
    });
    expect(idle.join('\n')).toBe('');
  });
});
