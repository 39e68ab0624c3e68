import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paths, read, root, shippedFiles } from './source-tree.ts';

/** Rows of docs/adr/0002: a workspace imports only from rows below its own. */
const rows: Readonly<Record<string, number>> = {
  semconv: 0,
  'packages/otlp': 1,
  'packages/trace-model': 2,
  'packages/dialects': 3,
  'packages/instrumentation': 3,
  'packages/collector-client': 3,
  'packages/instrumentation-openai': 4,
  'packages/replay': 4,
  collector: 4,
  'packages/reenact': 6,
  test: 7,
};

const folderOfPackage = new Map(
  Object.keys(rows).map((folder) => [(JSON.parse(read(`${folder}/package.json`)) as { name: string }).name, folder]),
);

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

function packageOf(specifier: string): string {
  return specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? '');
}

function workspaceOf(path: string): string {
  return path.startsWith('packages/') ? path.split('/').slice(0, 2).join('/') : (path.split('/')[0] ?? '');
}

describe('layout', () => {
  it('the top level holds what the design names and nothing else', () => {
    const top = new Set(paths.map((path) => path.split('/')[0] ?? '').filter((name) => !name.startsWith('.')));
    expect([...top].sort()).toEqual(
      [
        'CONTRIBUTING.md',
        'README.md',
        'collector',
        'docs',
        'package-lock.json',
        'package.json',
        'packages',
        'semconv',
        'test',
        'tsconfig.json',
        'turbo.json',
      ].sort(),
    );
  });

  it('every workspace has a row, a readme and a public entry', () => {
    const workspaces = [
      'semconv',
      'collector',
      'test',
      ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
    ];
    expect(workspaces.sort()).toEqual(Object.keys(rows).sort());
    const lacking = workspaces.filter((folder) => folder !== 'test' && !existsSync(join(root, folder, 'README.md')));
    expect(lacking).toEqual([]);
  });

  it('nothing imports sideways or upwards', () => {
    const wrong = shippedFiles.flatMap(({ path, text }) => {
      const from = workspaceOf(path);
      return importsOf(text).flatMap((specifier) => {
        const to = folderOfPackage.get(packageOf(specifier));
        if (to === undefined || to === from) return [];
        return (rows[to] ?? 99) < (rows[from] ?? -1) ? [] : [`${path} imports ${specifier}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('an instrumentation never imports replay, and the user interface never the collector', () => {
    const wrong = shippedFiles.filter(
      ({ path, text }) =>
        path.startsWith('packages/instrumentation') &&
        importsOf(text).some((specifier) => specifier.startsWith('@reenact/replay')),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('every import of a package is declared by the workspace', () => {
    const wrong = shippedFiles.flatMap(({ path, text }) => {
      const folder = workspaceOf(path);
      const manifest = JSON.parse(read(`${folder}/package.json`)) as Record<string, Record<string, string> | undefined>;
      const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
      const typeOnly = new Set(Object.keys({ ...manifest.devDependencies }));
      return importsOf(text)
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .filter(
          (specifier) =>
            !declared.has(packageOf(specifier)) &&
            !(typeOnly.has(packageOf(specifier)) && new RegExp(`import type [^;]*'${specifier}'`).test(text)),
        )
        .map((specifier) => `${path} imports ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it('a file is named for something it exports', () => {
    const wrong = shippedFiles
      .filter(({ path }) => !/\/(index|main|register|limits|types|internal-types|config)\.ts$/.test(path))
      .filter(({ path, text }) => {
        const name = (path.split('/').at(-1) ?? '').replace(/\.ts$/, '').replaceAll('-', '').toLowerCase();
        const exported = [
          ...text.matchAll(
            /export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|interface|type|let) (\w+)/g,
          ),
        ].map((match) => (match[1] ?? '').toLowerCase().replaceAll('_', ''));
        const stem = name.replace(/s$/, '');
        return !exported.some((item) => item.includes(stem) || stem.includes(item) || overlap(item, name) >= 5);
      })
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

/** Length of the longest run of letters that two names share. */
function overlap(left: string, right: string): number {
  let best = 0;
  for (let start = 0; start < left.length; start += 1) {
    while (right.includes(left.slice(start, start + best + 1)) && start + best < left.length) best += 1;
  }
  return best;
}
