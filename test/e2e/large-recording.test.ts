import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Span } from '@reenact/otlp';
import { digestOf } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../conformance/testbed.ts';

const MAIN = fileURLToPath(new URL('../../packages/reenact/src/main.ts', import.meta.url));
const MEBIBYTES = 60;
const HEAP_MEBIBYTES = 116;

/** The collector answers from this process, so it must go on. */
function runBeside(parameters: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { maxBuffer: 8 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    );
  });
}

const NOTE = 'sell $1,000 worth '.repeat(60_000).slice(0, 1024 * 1024);
const testbed = new Testbed();

/** One crossing of some megabyte. */
function lookUp(number: number, output = JSON.stringify(`${number} ${NOTE}`)): Span {
  const facts = {
    'reenact.schema': '1',
    'reenact.boundary': 'tool',
    'reenact.name': 'look_up',
    'reenact.call': 'promise',
    'reenact.outcome': 'returned',
    'reenact.output': output,
    'reenact.output.format': 'json',
    'reenact.output.digest': digestOf(output),
  };
  return makeSpan({ spanId: spanIdOf(number), attributes: textAttributes(facts) });
}

/** Runs a command in a process that may hold the spans, and not much more: all of them once more beside would be too much. */
function withSmallHeap(...command: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const flags = ['--conditions=@reenact/source', `--max-old-space-size=${HEAP_MEBIBYTES}`, '--no-warnings'];
  return runBeside([...flags, MAIN, ...command]);
}

describe('a large recording', () => {
  let httpUrl: string;
  beforeAll(async () => {
    ({ httpUrl } = await testbed.start());
    for (let number = 1; number <= MEBIBYTES; number += 1) {
      expect((await postSpans(httpUrl, [lookUp(number)])).status).toBe(200);
    }
  });
  afterAll(() => testbed.dispose());

  it('is exported by a process that holds its spans once', { timeout: 180_000 }, async () => {
    const file = join(await testbed.directory(), 'run.otlp.jsonl');
    const { status, stdout, stderr } = await withSmallHeap(
      'export',
      traceIdOf(1),
      '--out',
      file,
      '--collector',
      httpUrl,
    );
    expect({ status, stderr: stderr.slice(0, 1_000) }).toEqual({ status: 0, stderr: '' });
    const { size } = statSync(file);
    expect(size).toBeGreaterThan(MEBIBYTES * 1024 * 1024);
    expect(stdout).toContain(`${MEBIBYTES} spans, ${size.toLocaleString('en-US')} bytes`);
  });

  it('is shown by a process that holds its spans once', { timeout: 180_000 }, async () => {
    const { status, stdout, stderr } = await withSmallHeap('show', traceIdOf(1), '--collector', httpUrl);
    expect({ status, stderr: stderr.slice(0, 1_000) }).toEqual({ status: 0, stderr: '' });
    expect(stdout.match(/sell \$1,000 worth .*…/g)).toHaveLength(MEBIBYTES);
  });
});

describe('a span that holds much', () => {
  it('is shown by a process that does not hold each value in it', { timeout: 180_000 }, async () => {
    const { httpUrl } = await testbed.start();
    // Some ten times its size once it is parsed.
    const output = `["first",${'{},'.repeat(4_000_000)}{}]`;
    expect((await postSpans(httpUrl, [lookUp(1, output)])).status).toBe(200);
    const { status, stdout, stderr } = await withSmallHeap('show', traceIdOf(1), '--collector', httpUrl);
    expect({ status, stderr: stderr.slice(0, 1_000) }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('out ["first",{},{},');
    expect(stdout).toContain('replayability: ');
  });
});

describe('a recording that is too large to be printed', () => {
  const MEBIBYTES_MORE = 130;
  let httpUrl: string;
  beforeAll(async () => {
    ({ httpUrl } = await testbed.start());
    for (let number = 1; number <= MEBIBYTES_MORE; number += 1) {
      expect((await postSpans(httpUrl, [lookUp(number)])).status).toBe(200);
    }
  });

  function run(...command: readonly string[]) {
    return runBeside(['--conditions=@reenact/source', '--no-warnings', MAIN, ...command, '--collector', httpUrl]);
  }

  it('is shown as an outline that says what was left out', { timeout: 180_000 }, async () => {
    const { status, stdout, stderr } = await run('show', traceIdOf(1));
    expect({ status, stderr: stderr.replace(/^The collector still.*\n/, '') }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`${MEBIBYTES_MORE} spans, ${MEBIBYTES_MORE} crossings`);
    expect(stdout).toMatch(/one crossing whole: `(npx )?reenact show --alone --full <span-id>`/);
    expect(stdout.match(/^tool:look_up .* 1\.0 MB left out {2}[0-9a-f]{16}$/gm)).toHaveLength(MEBIBYTES_MORE);
    expect(stdout).not.toContain('sell $1,000');
    expect(stdout).toContain('replayability: ');
  });

  it('is given as JSON by --outline, and one of its crossings whole by --alone', { timeout: 180_000 }, async () => {
    const outline = await run('show', traceIdOf(1), '--outline', '--json');
    const { isOutline, crossings } = JSON.parse(outline.stdout) as { isOutline: boolean; crossings: unknown[] };
    expect([isOutline, crossings.length]).toEqual([true, MEBIBYTES_MORE]);
    const alone = await run('show', '--alone', '--full', spanIdOf(7));
    expect({ ...alone, stdout: alone.stdout.length > NOTE.length }).toEqual({ status: 0, stdout: true, stderr: '' });
    expect(alone.stdout).toContain(`7 ${NOTE}`);
    const none = await run('show', '--alone', traceIdOf(1));
    expect(none).toMatchObject({ status: 2, stderr: expect.stringContaining('--alone needs the id of one span') });
  });
});
