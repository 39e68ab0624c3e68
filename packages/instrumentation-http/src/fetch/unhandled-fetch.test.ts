import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = new URL('../testdata/unhandled-fetch.ts', import.meta.url).pathname;

it('leaves it to the host which failures of fetch are handled, whatever becomes of the call', async () => {
  const parameters = ['--conditions=@reenact/source', '--no-warnings', script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  expect(stdout.trim().split('\n')).toEqual(['nobody records', 'ignored', 'recorded', 'served', 'served, unwatched']);
});
