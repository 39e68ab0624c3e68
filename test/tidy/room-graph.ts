import { dirname, join } from 'node:path/posix';
import { moduleImports } from './module-imports.ts';
import type { SourceFile } from './source-tree.ts';

/** One import of one room's file from another room of the same package. Imports of types count. */
export interface RoomImport {
  readonly from: string;
  readonly to: string;
  /** `<file> imports <file>`, both from the package's `src`. */
  readonly text: string;
}

/** A folder right below `src`, or a file there: files of no room stand for themselves. */
function roomOf(pathInSource: string): string {
  return pathInSource.split('/')[0] ?? '';
}

/** Whether a room is a folder, and not a file of no room. */
function isFolder(room: string): boolean {
  return !room.endsWith('.ts');
}

/** What the rooms below one folder (`packages/replay/src`) import of each other. */
export function roomImports(source: string, files: readonly SourceFile[]): RoomImport[] {
  const inside = (path: string): string | undefined =>
    path.startsWith(`${source}/`) ? path.slice(source.length + 1) : undefined;
  return files.flatMap(({ path, text }) => {
    const file = inside(path);
    if (file === undefined) return [];
    return moduleImports(path, text).flatMap(({ specifier }) => {
      const target = specifier.startsWith('.') ? inside(join(dirname(path), specifier)) : undefined;
      if (target === undefined || roomOf(target) === roomOf(file)) return [];
      return [{ from: roomOf(file), to: roomOf(target), text: `${file} imports ${target}` }];
    });
  });
}

function reach(from: string, imports: readonly RoomImport[]): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    for (const { from: importer, to } of imports) {
      if (importer !== room || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}

/** The imports by which rooms stand on each other. Files of no room may do so among themselves. */
export function importsInCycles(imports: readonly RoomImport[]): RoomImport[] {
  const reached = new Map(imports.map(({ from }) => [from, reach(from, imports)]));
  const onEachOther = (one: string, other: string): boolean =>
    reached.get(one)?.has(other) === true && reached.get(other)?.has(one) === true;
  const rooms = [...reached.keys()];
  return imports.filter(
    ({ from, to }) =>
      onEachOther(from, to) && rooms.some((room) => isFolder(room) && onEachOther(room, from) && onEachOther(room, to)),
  );
}
