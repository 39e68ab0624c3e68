import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = [...readdirSync(join(root, 'packages')).map((name) => join('packages', name)), 'collector', 'semconv'];

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types?: unknown }>>;
}

/** Everything of ours that has types and can be imported by name. */
const entries = folders.flatMap((path) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(exports)
    .filter(([, target]) => typeof target !== 'string' && target.types !== undefined)
    .map(([subpath]) => `${name}${subpath.slice(1)}`);
});

const program = `
import { agent, isReenactError, OpenAIInstrumentation, RecordingProcessor, type ReplayReport, tool } from 'reenact';

class Instrumentation extends OpenAIInstrumentation {}
const addOne = tool('add_one', async (number: number) => number + 1);
const run = agent('adder', async () => addOne(1));
const verdictOf = (report: ReplayReport): string => report.verdict;
void run().then((sum: number) =>
  console.log(JSON.stringify([sum, new Instrumentation() instanceof OpenAIInstrumentation, isReenactError(sum), typeof RecordingProcessor, verdictOf.length])),
);
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-commonjs-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'app.cts'), program);
  writeFileSync(
    join(folder, 'all.cts'),
    entries.map((name, at) => `import * as all${at} from '${name}'; void all${at};\n`).join(''),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(module: string): string {
  const flags = [
    '--module',
    module,
    '--target',
    'es2023',
    '--strict',
    '--types',
    'node',
    '--outDir',
    join(folder, module),
  ];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...flags, 'app.cts', 'all.cts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe.each(['node16', 'node18', 'node20', 'nodenext', 'commonjs'])(
  'a CommonJS project in TypeScript, `module: %s`',
  (module) => {
    it('imports every package of ours with its types, and runs', () => {
      expect(entries.length).toBeGreaterThan(20);
      expect(compile(module)).toBe('');
      const { stdout, stderr } = spawnSync(process.execPath, [join(folder, module, 'app.cjs')], { encoding: 'utf8' });
      expect(stdout, stderr).toBe('[2,true,false,"function",1]\n');
    });
  },
);
