import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsInCycles, roomImports } from './room-graph.ts';
import { read, root, shippedFiles } from './source-tree.ts';

const sources = [...new Set(shippedFiles.map(({ path }) => path.slice(0, path.indexOf('/src/') + '/src'.length)))];

/** The rooms in the order of a readme's table `| room of …`, the lowest first; none where it has no such table. */
function roomsOfTable(source: string): string[] {
  const readme = `${source.slice(0, -'/src'.length)}/README.md`;
  if (!existsSync(join(root, readme))) return [];
  const table = /^\| room[^\n]*\n\|[-| ]+\n((?:\|[^\n]*\n)+)/m.exec(read(readme))?.[1] ?? '';
  return table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, room = '']) => room));
}

function importsUpwards(source: string): string[] {
  const table = roomsOfTable(source);
  return roomImports(source, shippedFiles)
    .filter(({ from, to }) => table.includes(from) && table.includes(to) && table.indexOf(to) > table.indexOf(from))
    .map(({ text }) => `${source}: ${text}`);
}

describe('rooms', () => {
  it('of a package do not stand on each other', () => {
    const cycles = sources.flatMap((source) =>
      importsInCycles(roomImports(source, shippedFiles)).map(({ text }) => `${source}: ${text}`),
    );
    expect(cycles.join('\n')).toBe('');
  });

  it('stand in the table of their readme, where it has one, on none that stands below them', () => {
    const lacking = sources.flatMap((source) => {
      const table = roomsOfTable(source);
      const rooms = shippedFiles.flatMap(({ path }) => {
        const [room = '', ...rest] = path.startsWith(`${source}/`) ? path.slice(source.length + 1).split('/') : [];
        return rest.length === 0 ? [] : [room];
      });
      return [...new Set(rooms)]
        .filter((room) => table.length > 0 && !table.includes(room))
        .map((room) => `${source}/${room}`);
    });
    expect(lacking.join('\n')).toBe('');
    expect(sources.flatMap(importsUpwards).join('\n')).toBe('');
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
