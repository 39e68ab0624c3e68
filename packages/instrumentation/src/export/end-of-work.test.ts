import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const script = new URL('../testdata/end-of-work.ts', import.meta.url).pathname;

async function run(...parameters: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const flags = ['--conditions=@reenact/source', '--no-warnings'];
  return await promisify(execFile)(process.execPath, [...flags, script, ...parameters]);
}

describe('a program whose listener of beforeExit', () => {
  it.each([
    ['only says so', 1],
    ['goes on by timers', 1],
    ['goes on by a timer that is due at once', 1],
    ['goes on by an immediate', 1],
    ['goes on where a promise is kept', 4],
    ['compresses beside the event loop', 1],
    ['records each time', 2],
  ])(
    '%s is told as often while it is recorded, and leaves nothing behind',
    { timeout: 60_000 },
    async (listener, sent) => {
      const bare = await run(listener);
      const recorded = await run(listener, 'recorded');
      expect(recorded.stdout).toBe(bare.stdout);
      expect(recorded.stderr).toBe(`sent ${sent}`);
    },
  );
});
