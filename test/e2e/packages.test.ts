import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What npm would publish of one workspace. */
interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

/** A file, or one for each condition. */
type ExportTarget = string | { readonly [condition: string]: ExportTarget };

interface Manifest {
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly main?: string;
  readonly types?: string;
  readonly exports?: Readonly<Record<string, ExportTarget>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

let packed: readonly (Packed & { readonly manifest: Manifest })[];
beforeAll(async () => {
  const { stdout: folders } = await promisify(execFile)('npm', ['query', '.workspace'], { cwd: root });
  const workspaces = JSON.parse(folders) as (Manifest & { name: string; location: string })[];
  const published = workspaces.filter((workspace) => workspace.private !== true);
  const flags = published.flatMap(({ location }) => ['--workspace', location]);
  const parameters = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts', ...flags];
  const { stdout } = await promisify(execFile)('npm', parameters, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  packed = Object.values(JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>).map((one) => {
    const location = published.find(({ name }) => name === one.name)?.location ?? '';
    return { ...one, manifest: JSON.parse(readFileSync(join(root, location, 'package.json'), 'utf8')) as Manifest };
  });
});

function targetsOf(target: ExportTarget): string[] {
  if (typeof target === 'string') return [target];
  return Object.entries(target).flatMap(([condition, file]) =>
    condition === '@reenact/source' ? [] : targetsOf(file),
  );
}

/** Files that somebody who installs the package is sent to, without those for work on the package itself. */
function promised({ bin = {}, exports = {}, main, types }: Manifest): string[] {
  // What knows no `exports`, as TypeScript by `moduleResolution: node10`, is sent to the same files.
  const beside = [main, types].filter((file) => file !== undefined);
  return [...Object.values(bin), ...beside, ...targetsOf(exports)].map((file) => file.replace(/^\.\//, ''));
}

describe('what is published', () => {
  it('is every package with its page, and whatever its manifest promises', () => {
    expect(packed.map(({ name }) => name)).toContain('reenact');
    for (const { name, files, manifest } of packed) {
      const paths = new Set(files.map(({ path }) => path));
      const lacking = ['README.md', 'package.json', ...promised(manifest)].filter((path) => !paths.has(path));
      expect([name, lacking]).toEqual([name, []]);
    }
  });

  it('has every page of the documentation with the command line, which prints the one that is asked for', async () => {
    const pages = globSync('docs/**/*.md', { cwd: root });
    expect(pages).toContain('docs/errors.md');
    const files = packed.find(({ name }) => name === 'reenact')?.files.map(({ path }) => path);
    expect(files?.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(pages.toSorted());
    const bin = join(root, 'packages/reenact/bin/reenact.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [bin, 'docs', 'docs/errors.md']);
    expect(stdout.trimEnd()).toBe(readFileSync(join(root, 'docs/errors.md'), 'utf8').trimEnd());
  });

  it('asks for no API of OpenTelemetry that an app on its SDK 3 does not have', () => {
    const ranges = packed.flatMap(({ manifest }) => manifest.peerDependencies?.['@opentelemetry/api'] ?? []);
    expect(ranges.length).toBeGreaterThan(3);
    // Both 1.9, which SDK 2 is on, and 1.10, which SDK 3 asks for.
    expect(new Set(ranges)).toEqual(new Set(['^1.9.0']));
  });

  it('is found by tools that know no `exports`, wherever a package has an entry of its own', () => {
    const lacking = packed.filter(({ manifest: { exports, main, types } }) => {
      const entry = targetsOf(exports?.['.'] ?? {});
      return entry.length > 0 && !(entry.includes(main ?? '') && entry.includes(types ?? ''));
    });
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  it('is no test, no source map and nothing of the build', () => {
    const paths = packed.flatMap(({ name, files }) => files.map(({ path }) => `${name}/${path}`));
    expect(paths.filter((path) => /\.test\.|\/testdata\/|\.map$|\.tsbuildinfo$|\/src\//.test(path))).toEqual([]);
  });
});
