import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { type SourceFile, shippedFiles } from './source-tree.ts';

/** Names of the functions, classes and constants a file exports; types do not count. */
function exportedValues({ path, text }: SourceFile): string[] {
  const { module } = parseSync(path, text);
  return module.staticExports.flatMap(({ entries }) =>
    entries
      .filter(({ isType, moduleRequest }) => !isType && moduleRequest === null)
      .map(({ exportName }) => exportName.name ?? ''),
  );
}

function isType(text: string, name: string): boolean {
  return new RegExp(`export (declare )?(interface|type) ${name}\\b`).test(text);
}

function words(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/)
    .map((word) => word.slice(0, 4));
}

describe('names', () => {
  it('a file with one exported function, class or constant is named for it', () => {
    const wrong = shippedFiles
      .filter(({ path }) => !/\/(index|main|register|limits|config|instrumentation)\.ts$/.test(path))
      .filter((file) => {
        const values = exportedValues(file).filter((name) => !isType(file.text, name));
        const [only] = values;
        if (only === undefined || values.length > 1) return false;
        const fileWords = words((file.path.split('/').at(-1) ?? '').replace(/\.tsx?$/, ''));
        return !words(only).some((word) => fileWords.includes(word));
      })
      .map(({ path }) => path);
    expect(wrong.join('\n')).toBe('');
  });

  it('files and folders are kebab-case', () => {
    const wrong = shippedFiles
      .map(({ path }) => path)
      .filter((path) => path.split('/').some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?(\.tsx?)?$/.test(part)));
    expect(wrong.join('\n')).toBe('');
  });
});
