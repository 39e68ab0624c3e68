import { CONFIG_KEYS, parseCollectorConfig } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { paths, read } from './source-tree.ts';

/** First and last cell of the rows of the table with this heading. */
function rowsUnder(heading: string): Map<string, string> {
  const page = read('docs/collector.md');
  const table = page.slice(page.indexOf(`\n| ${heading} `)).split('\n\n', 1)[0] ?? '';
  return new Map(
    [...table.matchAll(/^\| `(\w+)` +\|.*\| *([^|]*?) *\|$/gm)].map(([, key = '', last = '']) => [key, last]),
  );
}

/** Names of the constants in the first cells of the table with this heading. */
function constantsUnder(heading: string): string[] {
  const page = read('collector/README.md');
  const table = page.slice(page.indexOf(`\n| ${heading} `)).split('\n\n', 1)[0] ?? '';
  return [...table.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name = '']) => name);
}

/** Where memory is plenty; what there is of it depends on the machine, and the page says so in words. */
const { memoryBytesMax: _, ...defaults } = parseCollectorConfig({ memoryBytesMax: 2 ** 34 });

describe('docs/collector.md', () => {
  it('lists every key of the configuration and no other', () => {
    expect([...rowsUnder('key').keys()].toSorted()).toEqual([...CONFIG_KEYS].toSorted());
  });

  it('says the default of every key that is a text or a number', () => {
    const rows = rowsUnder('key');
    const simple = Object.entries(defaults).filter(([, value]) => typeof value !== 'object');
    expect(simple.length).toBeGreaterThan(5);
    expect(rowsUnder('key').has('memoryBytesMax')).toBe(true);
    for (const [key, value] of simple) expect([key, rows.get(key)]).toEqual([key, `\`${String(value)}\``]);
  });

  it('lists every limit with its default', () => {
    const expected = Object.entries(defaults.limits).map(([key, value]) => [key, `\`${value}\``] as const);
    expect(rowsUnder('in `limits`')).toEqual(new Map(expected));
  });

  it('leaves to the readme of the collector every limit that cannot be set, and why not', () => {
    const limits = paths.filter((path) => /^collector\/src\/(?:[\w-]+\/)*limits\.ts$/.test(path));
    const all = limits.flatMap((path) =>
      [...read(path).matchAll(/^export const (\w+)/gm)].map(([, name = '']) => name),
    );
    const settable = new Set(read('collector/src/config.ts').match(/(?<=default\()[A-Z][A-Z\d_]+/g));
    const fixed = all.filter((name) => !settable.has(name));
    expect(settable.size).toBeGreaterThan(20);
    expect(constantsUnder('fixed in a `limits.ts`').toSorted()).toEqual(fixed.toSorted());
  });
});
