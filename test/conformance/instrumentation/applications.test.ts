import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import type { DriverReport, DriverRequest } from './application-driver.ts';
import { fidelityLibraries } from './fidelity-libraries.ts';
import type { FidelityApplications, FidelityLibrary } from './fidelity-library.ts';

/** Each case starts two processes. */
const CASE_TIMEOUT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'reenact-bundled-'));
afterAll(() => rmSync(folder, { recursive: true }));

const driver = fileURLToPath(new URL('application-driver.ts', import.meta.url));
const fileOf = (name: string): string => fileURLToPath(new URL(`applications/${name}`, import.meta.url));

async function drive(request: DriverRequest): Promise<DriverReport> {
  const flags = ['--no-warnings', driver, JSON.stringify(request)];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return JSON.parse((await promisify(execFile)(process.execPath, flags, { env })).stdout) as DriverReport;
}

/** Runs the application with nothing of ours, then recorded and replayed: the peer sees both once, the replay never. */
async function proveApplication(
  { start }: FidelityLibrary,
  file: string,
  instrumentation: DriverRequest['instrumentation'],
): Promise<void> {
  const [plainPeer, peer] = [await start(), await start()];
  try {
    const plain = await drive({ file, address: plainPeer.address, instrumentation, isPlain: true });
    const proven = await drive({ file, address: peer.address, instrumentation, isPlain: false });
    expect(proven.recorded).toEqual(plain.recorded);
    expect(proven.replayed).toEqual(plain.recorded);
    expect(proven.verdict).toBe('reproduced');
    expect(proven.crossings?.length).toBeGreaterThan(0);
    expect(plainPeer.contacts).toBeGreaterThan(0);
    expect(peer.contacts).toBe(plainPeer.contacts);
  } finally {
    await Promise.all([plainPeer.stop(), peer.stop()]);
  }
}

/** One file with everything in it, somewhere no package can be found. */
async function bundle(name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileOf(`${name}.mjs`)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // What CommonJS packages require of the platform has to be found by an ES module.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'silent',
  });
  return outfile;
}

const rows = fidelityLibraries.flatMap((library) =>
  'why' in library.applications ? [] : [[library.name, library, library.applications] as const],
);

describe.each(rows)('%s', (_name, library, { modules, instrumentation }) => {
  it.each(['mjs', 'cjs'])(
    'loaded by an application as .%s is recorded and replayed',
    async (end) => {
      await proveApplication(library, fileOf(`${modules}.${end}`), instrumentation);
    },
    CASE_TIMEOUT_MS,
  );
});

const bundled = rows.flatMap(
  ([name, library, { bundled: cell }]: readonly [string, FidelityLibrary, FidelityApplications]) =>
    typeof cell === 'string' ? [[name, library, cell] as const] : [],
);

describe.each(bundled)('%s', (_name, library, application) => {
  it(
    'bundled into one file, its client instrumented by hand, is recorded and replayed',
    async () => {
      await proveApplication(library, await bundle(application), undefined);
    },
    CASE_TIMEOUT_MS,
  );
});
