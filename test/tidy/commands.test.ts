import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, root } from './source-tree.ts';

interface Command {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly { readonly flags: string; readonly description: string; readonly defaultValue?: unknown }[];
  readonly exitCodes: readonly string[];
}

function listCommands(): Command[] {
  const script = join(root, 'test/tidy/list-commands.ts');
  const output = execFileSync(process.execPath, ['--conditions=@reenact/source', script], { encoding: 'utf8' });
  return JSON.parse(output) as Command[];
}

const commands = listCommands();
const page = read('docs/commands.md');

/** The part of the page below one heading, up to the next. */
function below(heading: string): string {
  const [, section = ''] = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page) ?? [];
  return section;
}

function sectionOf(command: string): string {
  return below(`reenact ${command}`);
}

/** First and second cell of each row of a table whose first cell is code; the padding of the formatter does not count. */
function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| `([^`]+)` +\| (.*?) +\|(?: (.*?) *\|)?$/gm)].map(
    ([, flag = '', description = '', standard = '']) => [flag, description, standard].join(' | '),
  );
}

/** Tables of flags that several commands have: the link by which a section takes one in, but for the flags that it names behind. */
const SHARED_TABLES = [
  { heading: 'The collector it reads from', link: '(#the-collector-it-reads-from)' },
  { heading: 'Filters', link: '(#filters)' },
];

function sharedRowsOf(section: string): string[] {
  return SHARED_TABLES.flatMap(({ heading, link }) => {
    const [, behind] = section.split(link);
    if (behind === undefined) return [];
    const [, butFor = ''] = /^, but for ((?:(?: and )?`--[a-z-]+`)+)/.exec(behind) ?? [];
    return rowsOf(below(heading)).filter((row) => !butFor.includes(`\`${row.split(' ', 1)[0] ?? ''}\``));
  });
}

function defaultText(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${String(value)}\``;
}

function expectedRows({ arguments: named, flags }: Command): string[] {
  return [
    ...named.map(({ name, description }) => [name, description, ''].join(' | ')),
    ...flags.map(({ flags: flag, description, defaultValue }) =>
      [flag, description, defaultText(defaultValue)].join(' | '),
    ),
  ];
}

describe('docs/commands.md', () => {
  it('has a section for every command, in the order of reenact --help, and none for others', () => {
    const headings = [...page.matchAll(/^## reenact ([a-z-]+)$/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(5);
    expect(headings).toEqual(commands.map(({ name }) => name));
  });

  it.each(commands)('says of reenact $name what its --help says: every argument and flag, no other', (command) => {
    const section = sectionOf(command.name);
    expect(section).toContain(command.description);
    expect([...rowsOf(section), ...sharedRowsOf(section)].toSorted()).toEqual(expectedRows(command).toSorted());
  });

  it.each(commands)('says of the exit codes of reenact $name what its --help says', ({ name, exitCodes }) => {
    const [, said = ''] = /^Exit codes: (.*)$/m.exec(sectionOf(name)) ?? [];
    expect(said.split(' · ')).toEqual(exitCodes);
  });

  it('shows every command at work', () => {
    const silent = commands.filter(({ name }) => !new RegExp(`^(\\$ )?reenact ${name}\\b`, 'm').test(sectionOf(name)));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});
