import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { importsInCycles, roomImports } from './room-graph.ts';
import { read, root, shippedFiles } from './source-tree.ts';

/** Every folder of shipped code: `src` of each package, and all below it. */
const folders = [
  ...new Set(
    shippedFiles.flatMap(({ path }) => {
      const parts = path.split('/');
      return parts
        .slice(0, -1)
        .flatMap((_, place) =>
          parts.slice(0, place + 1).includes('src') ? [parts.slice(0, place + 1).join('/')] : [],
        );
    }),
  ),
];

/** The rooms of a folder in the order of the table `| room of `<folder>` |` in its package's readme, the lowest first; none where there is no such table. */
function roomsOfTable(folder: string): string[] {
  const readme = `${folder.slice(0, folder.indexOf('/src'))}/README.md`;
  if (!existsSync(join(root, readme))) return [];
  const [, table = ''] =
    new RegExp(`^\\| room of \`${basename(folder)}\`[^\n]*\n\\|[-| ]+\n((?:\\|[^\n]*\n)+)`, 'm').exec(read(readme)) ??
    [];
  return table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, room = '']) => room));
}

function importsUpwards(folder: string): string[] {
  const table = roomsOfTable(folder);
  return roomImports(folder, shippedFiles)
    .filter(({ from, to }) => table.includes(from) && table.includes(to) && table.indexOf(to) > table.indexOf(from))
    .map(({ text }) => `${folder}: ${text}`);
}

/** The folders right below one. */
function roomsOf(folder: string): string[] {
  return folders.flatMap((other) => (dirname(other) === folder ? [basename(other)] : []));
}

describe('rooms', () => {
  it('of a folder do not stand on each other', () => {
    const cycles = folders.flatMap((folder) =>
      importsInCycles(roomImports(folder, shippedFiles)).map(({ text }) => `${folder}: ${text}`),
    );
    expect(cycles.join('\n')).toBe('');
  });

  it('stand in the table of their readme, where it has one, on none that stands below them', () => {
    const tables = folders.filter((folder) => roomsOfTable(folder).length > 0);
    expect(tables).toContain('packages/instrumentation/src/redaction');
    const lacking = tables.flatMap((folder) => {
      const table = roomsOfTable(folder);
      return roomsOf(folder).flatMap((room) => (table.includes(room) ? [] : [`${folder}/${room}`]));
    });
    expect(lacking.join('\n')).toBe('');
    expect(tables.flatMap(importsUpwards).join('\n')).toBe('');
  });

  it('stand on each other also by a type, and through a file of no room', () => {
    const files = [
      { path: 'a/src/low/one.ts', text: "import type { Two } from '../high/two.ts';" },
      { path: 'a/src/high/two.ts', text: "export * from '../between.ts';" },
      { path: 'a/src/between.ts', text: "await import('./low/one.ts');" },
      { path: 'a/src/apart/three.ts', text: "import { one } from '../low/one.ts';" },
    ];
    expect(importsInCycles(roomImports('a/src', files)).map(({ text }) => text)).toEqual([
      'low/one.ts imports high/two.ts',
      'high/two.ts imports between.ts',
      'between.ts imports low/one.ts',
    ]);
  });
});
