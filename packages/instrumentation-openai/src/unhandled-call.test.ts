import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = new URL('testdata/unhandled-call.ts', import.meta.url).pathname;

it('leaves it to the host which failed calls are handled: one that nobody waits for ends its process, as without us', async () => {
  const parameters = ['--conditions=@reenact/source', '--no-warnings', script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  expect(stdout.trim().split('\n')).toEqual(['handled: true', 'AuthenticationError']);
});
