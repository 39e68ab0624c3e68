import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ReenactError } from '@reenact/trace-model';
import type { Command } from 'commander';
import { alignColumns } from '../terminal/terminal.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

/** Where the build puts the pages, seen from here as source and as built file. */
const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url));

/** Every page by the name it is asked for: `errors`, `adr/0009-guard`. */
function pagesByName(): ReadonlyMap<string, string> {
  const paths = globSync('**/*.md', { cwd: FOLDER }).toSorted();
  return new Map(
    paths.map((path) => [
      path.replaceAll('\\', '/').slice(0, -'.md'.length),
      readFileSync(`${FOLDER}${path}`, 'utf8').trimEnd(),
    ]),
  );
}

/** A page by its name, or by how a link of another page or a message writes it. */
function pageOf(word: string): string {
  const page = pagesByName().get(word.replace(/^(\.\/)?(docs\/)?/, '').replace(/(\.md)?(#.*)?$/, ''));
  if (page !== undefined) return page;
  throw new ReenactError('not-found', `There is no page "${word}".`, {
    where: word,
    next: 'List the pages with `reenact docs`.',
  });
}

/** Names and titles; decisions have a list of their own, `adr/README`. */
function listPages(): string {
  const rows = [...pagesByName()]
    .filter(([name]) => !/^adr\/\d/.test(name))
    .map(([name, page]) => [name, page.split('\n', 1)[0]?.replace(/^# /, '') ?? '']);
  return alignColumns(rows).join('\n');
}

/** `reenact docs`: the pages that messages name, which an installed package has nowhere else. */
export function addDocsCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('docs')
    .description('print a page of the documentation of this version, or list all pages')
    .argument('[page]', 'its name, such as errors or plan-file (default: a list)')
    .addHelpText('after', exitCodesHelp({ 0: 'done', 2: 'no such page' }))
    .action((page: string | undefined) => terminal.out(page === undefined ? listPages() : pageOf(page)));
}
