import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../conformance/testbed.ts';

const MAIN = fileURLToPath(new URL('../../packages/reenact/src/main.ts', import.meta.url));
const MEBIBYTES = 60;
/** The spans themselves, and not much more: all of them as one text beside would be too much. */
const HEAP_MEBIBYTES = 116;

/** The collector answers from this process, so it must go on. */
function runBeside(parameters: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    );
  });
}

const testbed = new Testbed();
afterEach(() => testbed.dispose());

describe('reenact export of a large recording', () => {
  it('holds its spans once', { timeout: 180_000 }, async () => {
    const { httpUrl } = await testbed.start();
    const note = 'sell $1,000 worth '.repeat(60_000).slice(0, 1024 * 1024);
    for (let number = 1; number <= MEBIBYTES; number += 1) {
      const span = makeSpan({ spanId: spanIdOf(number), attributes: textAttributes({ note: `${number} ${note}` }) });
      expect((await postSpans(httpUrl, [span])).status).toBe(200);
    }
    const file = join(await testbed.directory(), 'run.otlp.jsonl');
    const flags = ['--conditions=@reenact/source', `--max-old-space-size=${HEAP_MEBIBYTES}`, '--no-warnings'];
    const command = ['export', traceIdOf(1), '--out', file, '--collector', httpUrl];
    const { status, stdout, stderr } = await runBeside([...flags, MAIN, ...command]);
    expect({ status, stderr: stderr.slice(0, 1_000) }).toEqual({ status: 0, stderr: '' });
    const { size } = statSync(file);
    expect(size).toBeGreaterThan(MEBIBYTES * 1024 * 1024);
    expect(stdout).toContain(`${MEBIBYTES} spans, ${size} bytes`);
  });
});
