import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = new URL('../testdata/unhandled-open.ts', import.meta.url).pathname;

it('leaves it to the host which files that cannot be opened end its process', async () => {
  const parameters = ['--conditions=@reenact/source', '--no-warnings', script];
  const ended = await promisify(execFile)(process.execPath, parameters).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stdout: 'handled\n' });
});
