import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, configureRedaction, tool } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { SpooledHost } from '../../testdata/spooled-host.ts';
import { leaksIn, PLANTED_SECRETS } from '../../testing/index.ts';

afterEach(() => configureRedaction({}));

const [planted] = PLANTED_SECRETS;
const secret = planted?.text ?? '';

const echo = tool('echo', async (text: string) => ({ text, error: new Error(text) }));
const fail = tool('fail', async (text: string) => {
  throw new TypeError(text);
});
const stream = tool('stream', async function* (text: string) {
  for (const character of text) yield { character };
});

/** Passes a text through arguments, results, errors and chunks; what came of it. */
async function pass(text: string): Promise<string> {
  const { text: echoed } = await echo(text);
  const failed = await fail(text).catch((error: Error) => error.message);
  let streamed = '';
  for await (const { character } of stream(text)) streamed += character;
  return [echoed, failed, streamed].join('|');
}

describe('a rule that throws', () => {
  it('lets nothing leave, marks what it could not look at, and the host does not notice', async () => {
    const find = (): never => {
      throw new TypeError('a bug in a rule');
    };
    configureRedaction({ rules: [{ id: 'broken', why: 'A test.', find }] });
    const host = new RecordingHost();
    const run = agent('run', () => pass(secret));
    expect(await run()).toBe([secret, secret, secret].join('|'));
    const spans = (await host.recorded()).map(({ name, attributes, events, status }) => [
      name,
      attributes,
      events,
      status,
    ]);
    await host.stop();
    const sent = JSON.stringify(spans);
    expect(leaksIn(sent)).toEqual([]);
    expect(spans).toHaveLength(4);
    expect(sent).toContain('[withheld: redaction failed]');
    expect(sent).toContain('redaction-failed');
  });
});

describe('the spool', () => {
  it('holds no secret in any of its files', async () => {
    const host = new SpooledHost();
    host.exporter.isAway = true;
    for (const { text } of PLANTED_SECRETS) await pass(`MARKER ${text}`);
    const folder = host.processor.spoolState()?.directory ?? '';
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
    await host.stop();
    // It is all there, readable, and would be found.
    expect(text.split('MARKER ').length).toBeGreaterThan(PLANTED_SECRETS.length * 3);
    expect(leaksIn(text)).toEqual([]);
  });
});
