import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeValue } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDriverClasses, hookEsModules } from '../index.ts';

/** What the modules of the application tell. */
const told = globalThis as { ran?: string[]; encodes?: () => void };
let folder: string;
beforeAll(async () => {
  hookEsModules();
  findDriverClasses();
  folder = await mkdtemp(join(tmpdir(), 'reenact-es-modules-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Below `node_modules`, so that Node.js loads it and not the bundler of the tests. */
async function packageWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const place = join(folder, 'node_modules', name);
  await mkdir(place, { recursive: true });
  const description = JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' });
  await writeFile(join(place, 'package.json'), description);
  for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text);
  return pathToFileURL(join(place, 'index.js')).href;
}

class PostgresError extends Error {
  override name = 'PostgresError';
}

describe('an error of the host that is called like one of a driver of ES modules', () => {
  it('evaluates no module of the driver before its turn', async () => {
    told.ran = [];
    told.encodes = () => void encodeValue(new PostgresError('no'));
    await packageWith('postgres', { 'index.js': "globalThis.ran.push('postgres'); export class PostgresError {}" });
    const application = await packageWith('application', {
      'first.js': "globalThis.ran.push('first'); globalThis.encodes(); globalThis.ran.push('end of first');",
      'index.js': "import './first.js'; import 'postgres'; globalThis.ran.push('index');",
    });
    await import(application);
    expect(told.ran).toEqual(['first', 'end of first', 'postgres', 'index']);
  });
});
