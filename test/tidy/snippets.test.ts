import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseCollectorConfig } from '@reenact/collector';
import { parsePlanFile } from '@reenact/replay';
import { transformSync } from 'esbuild';
import * as reenact from 'reenact';
import { describe, expect, it } from 'vitest';
import { snippets, typedLines } from './snippets.ts';
import { root } from './source-tree.ts';

interface Command {
  readonly name: string;
  readonly flags: readonly { readonly flags: string }[];
}

const script = join(root, 'test/tidy/list-commands.ts');
const commands = JSON.parse(
  execFileSync(process.execPath, ['--conditions=@reenact/source', script], { encoding: 'utf8' }),
) as readonly Command[];

/** Flags of each command by its name; those that all have among them. */
const flagsOf = new Map(
  commands.map(({ name, flags }) => [
    name,
    new Set(['--help', ...flags.flatMap(({ flags: text }) => text.match(/--[a-z-]+/g) ?? [])]),
  ]),
);

/** The calls of our command in a line, each up to what belongs to another program. */
function callsIn(line: string): string[] {
  const calls = line.replace(/ #.*$/, '').split(/(?=(?<![\w./@-])reenact [a-z])/);
  return calls.filter((call) => /^reenact [a-z]/.test(call)).map((call) => call.split(/ -- |[|;)]/, 1)[0] ?? '');
}

function mistakeIn(call: string): string | undefined {
  const [, name = ''] = call.split(/\s+/);
  const known = flagsOf.get(name);
  if (known === undefined) return `there is no command ${name}`;
  const unknown = (call.match(/(?<=\s)--[a-z][a-z-]*/g) ?? []).find((flag) => !known.has(flag));
  return unknown === undefined ? undefined : `${name} has no flag ${unknown}`;
}

/** What a block of JavaScript asks of the package that it does not give. */
function importsMissing(text: string): string[] {
  const named = [...text.matchAll(/import \{([^}]*)\} from 'reenact'/g)].flatMap(([, list = '']) => list.split(','));
  return named.map((name) => name.trim()).filter((name) => name !== '' && !(name in reenact));
}

describe('snippets of the guides', () => {
  it('call commands that there are, with flags that these have', () => {
    const lines = typedLines();
    const calls = lines.flatMap(({ place, line }) => callsIn(line).map((call) => ({ place, call })));
    expect(calls.length).toBeGreaterThan(100);
    const mistakes = calls
      .map(({ place, call }) => ({ place, call, mistake: mistakeIn(call) }))
      .filter(({ mistake }) => mistake !== undefined)
      .map(({ place, call, mistake }) => `${place}: ${call}: ${mistake}`);
    expect(mistakes.join('\n')).toBe('');
  });

  it('are JavaScript or TypeScript that can be read, and import what there is', () => {
    const blocks = snippets.filter(({ language }) => ['js', 'ts'].includes(language));
    expect(blocks.length).toBeGreaterThan(20);
    const mistakes = blocks.flatMap(({ place, text }) => {
      const missing = importsMissing(text).map((name) => `${place}: reenact has no ${name}`);
      try {
        transformSync(text, { loader: 'ts', format: 'esm', target: 'esnext', logLevel: 'silent' });
        return missing;
      } catch (thrown) {
        return [...missing, `${place}: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
      }
    });
    expect(mistakes.join('\n')).toBe('');
  });

  it('are JSON that can be read, and configurations that the collector takes', () => {
    const collectorPages = ['collector', 'collector-operation', 'forwarding', 'asking'].map(
      (name) => `docs/${name}.md`,
    );
    const blocks = snippets.filter(({ language }) => language === 'json');
    const ofCollector = blocks.filter(({ page }) => collectorPages.includes(page));
    expect(ofCollector.length).toBeGreaterThan(3);
    for (const { text } of blocks) expect(() => JSON.parse(text)).not.toThrow();
    for (const { place, text } of ofCollector)
      expect(() => parseCollectorConfig(JSON.parse(text) as object), place).not.toThrow();
  });

  it('are plans that a replay takes', () => {
    const blocks = snippets.filter(({ language, page }) => language === 'json' && page === 'docs/plan-file.md');
    expect(blocks.length).toBeGreaterThan(0);
    for (const { place, text } of blocks) {
      const data = JSON.parse(text) as object;
      // One rule by itself stands where a list has them.
      const plan = 'version' in data ? data : { version: 1, ignore: [data] };
      expect(() => parsePlanFile(plan, place), place).not.toThrow();
    }
  });
});
