import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = new URL('../testdata/unhandled-rejection.ts', import.meta.url).pathname;

it('leaves it to the host which rejections are handled', async () => {
  const parameters = ['--conditions=@reenact/source', '--no-warnings', script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  expect(stdout).toBe('unhandled\n');
});
