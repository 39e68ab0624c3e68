import { dirname, join } from 'node:path/posix';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { codeFiles, paths, read, shippedFiles } from './source-tree.ts';

/** What other packages may import is judged by exports.test.ts; what is started by its path has no importer. */
const entries = new Set(
  paths
    .filter((path) => path.endsWith('package.json'))
    .flatMap((path) =>
      [...read(path).matchAll(/"\.\/(src\/[^"]+)"/g)].map(([, source = '']) => join(dirname(path), source)),
    ),
);

/** What each file is asked for by others; `*`: all of it. */
function importedNames(): Map<string, Set<string>> {
  const asked = new Map<string, Set<string>>();
  for (const { path, text } of codeFiles) {
    const { module } = parseSync(path, text);
    const ask = (specifier: string, name: string): void => {
      const target = join(dirname(path), specifier);
      asked.set(target, (asked.get(target) ?? new Set()).add(name));
    };
    for (const { moduleRequest, entries: names } of module.staticImports)
      for (const { importName } of names) ask(moduleRequest.value, importName.name ?? '*');
    for (const { entries: names } of module.staticExports)
      for (const { moduleRequest, importName } of names)
        if (moduleRequest !== null) ask(moduleRequest.value, importName.name ?? '*');
    for (const [, specifier = ''] of text.matchAll(/import\(\s*'([^']+)'/g)) ask(specifier, '*');
  }
  return asked;
}

describe('what a file exports', () => {
  it('is imported by another file, types apart: these name what a signature says', () => {
    const asked = importedNames();
    const idle = shippedFiles
      .filter(({ path }) => !entries.has(path))
      .flatMap(({ path, text }) => {
        const names = asked.get(path);
        if (names?.has('*') === true) return [];
        return parseSync(path, text)
          .module.staticExports.flatMap(({ entries: exported }) => exported)
          .filter(({ isType, moduleRequest, exportName }) => {
            const name = exportName.name ?? 'default';
            const isTypeName = new RegExp(`export (declare )?(interface|type) ${name}\\b`).test(text);
            return !isType && !isTypeName && moduleRequest === null && names?.has(name) !== true;
          })
          .map(({ exportName }) => `${path} exports ${exportName.name ?? 'default'}`);
      });
    expect(idle.join('\n')).toBe('');
  });
});
