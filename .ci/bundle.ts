import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// Part of the build of the packages that other programs load, in the package's folder: one file for each entry, and what entries share.
// A start pays for every file that is looked for, read and linked (docs/adr/0030). What a package depends on stays outside, so that
// there is one copy of it in a process, and one gate.

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: unknown }>>;
}

const output = /^\.\/dist\/(?<name>.+)\.js$/;

function entriesOf(manifest: Manifest): Record<string, string> {
  const names = Object.values(manifest.exports).flatMap(({ default: path }) =>
    typeof path === 'string' ? [output.exec(path)?.groups?.name ?? []].flat() : [],
  );
  return Object.fromEntries(names.map((name) => [name, join('src', `${name}.ts`)]));
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
for (const path of globSync('dist/**/*.{js,js.map}')) rmSync(path);
const bundle = await rolldown({
  input: entriesOf(manifest),
  platform: 'node',
  external: /^[^./]/,
  // All of it is ours: what a module does when it is loaded is meant.
  treeshake: false,
  transform: { target: 'es2023' },
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'shared/[name].js',
  sourcemap: true,
  keepNames: true,
});
