import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleImports } from './module-imports.ts';
import { paths, read, root, type SourceFile, shippedFiles } from './source-tree.ts';

/** Rows of docs/adr/0002: a workspace imports only from rows below its own. */
const rows: Readonly<Record<string, number>> = {
  semconv: 0,
  'packages/otlp': 1,
  'packages/trace-model': 2,
  'packages/dialects': 3,
  'packages/instrumentation': 3,
  'packages/collector-client': 3,
  'packages/instrumentation-ai-sdk': 4,
  'packages/instrumentation-anthropic': 4,
  'packages/instrumentation-grpc': 4,
  'packages/instrumentation-http': 4,
  'packages/instrumentation-mcp': 4,
  'packages/instrumentation-openai': 4,
  'packages/recordings': 4,
  'packages/replay': 5,
  collector: 5,
  'packages/ui': 6,
  'packages/reenact': 7,
  test: 8,
};

const topLevel = [
  'CONTRIBUTING.md',
  'README.md',
  'collector',
  'docs',
  'package-lock.json',
  'package.json',
  'packages',
  'semconv',
  'test',
  // Not below `test`: npm installs nothing into a workspace that lies inside another.
  'test-opentelemetry-3',
  'tsconfig.json',
  'turbo.json',
];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(read(`${folder}/package.json`)) as Manifest;
}

const folderOfPackage = new Map(Object.keys(rows).map((folder) => [manifestOf(folder).name, folder]));

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function workspaceOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('packages/') ? 2 : 1)
    .join('/');
}

function wrongDirections({ path, text }: SourceFile): string[] {
  const from = workspaceOf(path);
  return moduleImports(path, text).flatMap(({ specifier }) => {
    const to = folderOfPackage.get(packageOf(specifier));
    if (to === undefined || to === from || (rows[to] ?? 99) < (rows[from] ?? -1)) return [];
    return [`${path} imports ${specifier}`];
  });
}

function undeclaredImports({ path, text }: SourceFile): string[] {
  const { dependencies, devDependencies, peerDependencies } = manifestOf(workspaceOf(path));
  const atRunTime = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  const forTypes = new Set(Object.keys({ ...devDependencies }));
  // The page is one script with all that it stands on: nothing of that is installed with it.
  const isBundled = path.startsWith('packages/ui/src/page/');
  return moduleImports(path, text)
    .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .filter(
      ({ specifier, isTypeOnly }) =>
        !atRunTime.has(packageOf(specifier)) && !((isTypeOnly || isBundled) && forTypes.has(packageOf(specifier))),
    )
    .map(({ specifier }) => `${path} imports ${specifier}`);
}

/** What is installed with a workspace and that no code of it names, be it in an import or to resolve a file of it. */
function unusedDependencies(folder: string): string[] {
  const texts = shippedFiles.filter(({ path }) => workspaceOf(path) === folder).map(({ text }) => text);
  return Object.keys(manifestOf(folder).dependencies ?? {})
    .filter((name) => !texts.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`)))
    .map((name) => `${folder} needs no ${name}`);
}

describe('layout', () => {
  it('the top level holds what the design names and nothing else', () => {
    const top = new Set(paths.map((path) => path.split('/')[0] ?? '').filter((name) => !name.startsWith('.')));
    expect([...top].sort()).toEqual(topLevel);
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
    expect(lacking.join('\n')).toBe('');
  });

  it('nothing imports sideways or upwards', () => {
    const wrong = shippedFiles.flatMap(wrongDirections);
    expect(wrong.join('\n')).toBe('');
  });

  it('every import of a package is declared by the workspace', () => {
    const wrong = shippedFiles.flatMap(undeclaredImports);
    expect(wrong.join('\n')).toBe('');
  });

  it('every package that is installed with a workspace is used by it', () => {
    const unused = Object.keys(rows)
      .filter((folder) => folder !== 'test')
      .flatMap(unusedDependencies);
    expect(unused.join('\n')).toBe('');
  });

  it('instrumented libraries are never loaded by us, only their types', () => {
    const wrong = shippedFiles
      .filter(({ path }) => path.startsWith('packages/instrumentation-'))
      .filter(({ path, text }) =>
        moduleImports(path, text).some(
          ({ specifier, isTypeOnly }) =>
            !isTypeOnly && path.startsWith(`packages/instrumentation-${packageOf(specifier)}/`),
        ),
      )
      .map(({ path }) => path);
    expect(wrong.join('\n')).toBe('');
  });
});
