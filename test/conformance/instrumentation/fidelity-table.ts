import { readFileSync } from 'node:fs';
import { ENTRY_CASES, type EntryCase, type EntryLibrary } from './entries/entry-library.ts';
import { FIDELITY_CASES, type FidelityCase, type FidelityLibrary, isAct } from './fidelity-library.ts';

/** The columns every library has without a file of its own saying so. */
const COMMON_COLUMNS = {
  suppression:
    'Under suppressed tracing, and with recording switched off, the result is the same and nothing is recorded.',
  'host first':
    'With the gate, the recorder, the tracer, and every place of ours that reads what the host gave failing in turn, the result is the same.',
  'ES modules': 'Loaded by `import` after the instrumentation, as an application loads it.',
  CommonJS: 'Loaded by `require` after the instrumentation.',
  bundled: 'Bundled into one file by esbuild, its client instrumented by hand, nothing patched.',
} as const;

type Column = FidelityCase | keyof typeof COMMON_COLUMNS;

/** True, or why the cell cannot work. */
function cellOf({ cases, applications }: FidelityLibrary, column: Column): true | string {
  switch (column) {
    case 'suppression':
    case 'host first':
      return true;
    case 'ES modules':
    case 'CommonJS':
      return 'why' in applications ? applications.why : true;
    case 'bundled': {
      if ('why' in applications) return applications.why;
      return typeof applications.bundled === 'string' ? true : applications.bundled.why;
    }
    default: {
      const cell = cases[column];
      return isAct(cell) ? true : cell.why;
    }
  }
}

const INTRODUCTION = `# Fidelity

Generated from the suite in \`test/conformance/instrumentation\` by \`npm run generate\`. For every ✓ a test records the case against
a real peer, replays it with no request reaching that peer, and compares what the application saw: values, classes, errors,
helper methods, order. A number names the reason below the table why a cell cannot work. *Tried with* is the version in the suite's own
\`package.json\`; what the platform brings is tried with the Node.js lines of \`npm run runtimes\`.
`;

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const versions = { ...manifest.dependencies, ...manifest.devDependencies };

/** The versions of the packages that a row names, as the suite has them. */
function triedWith(name: string): string {
  const named = name.includes('`') ? Array.from(name.matchAll(/`([^`]+)`/g), ([, inner = '']) => inner) : [name];
  return named.flatMap((inner) => versions[inner.toLowerCase()] ?? []).join(', ') || 'Node.js';
}

/** What is the same for every server. */
const ENTRY_COLUMNS = {
  suppression:
    'With recording switched off, and with the patch taken out, the answer is the same and nothing is recorded.',
  'host first':
    'With the gate, the recorder, the tracer, and every place of ours that reads what the host gave failing in turn, the answer is the same.',
  'ES modules, CommonJS, bundled': 'However the application is loaded.',
} as const;

type EntryColumn = EntryCase | keyof typeof ENTRY_COLUMNS;

const ENTRIES = `
## Servers: the entry of a run

A request or a call that a server answers is a run. For every ✓ a test records the runs of the case, asks each of them again of a server whose
code is answered from its recording, with nothing reaching what that code asks, and compares what the client saw. Whole programs, replayed by
their command, are \`test/e2e/http-service.test.ts\`, \`http2-service.test.ts\` and \`grpc-service.test.ts\`.
`;

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** One table with its numbered reasons below it. */
function table(
  columns: readonly string[],
  first: string,
  rows: readonly (readonly [string, (true | string)[]])[],
): string[] {
  const reasons: string[] = [];
  const mark = (cell: true | string): string => {
    if (cell === true) return '✓';
    if (!reasons.includes(cell)) reasons.push(cell);
    return String(reasons.indexOf(cell) + 1);
  };
  return [
    line([first, 'tried with', ...columns]),
    line(['---', '---', ...columns.map(() => ':-:')]),
    ...rows.map(([name, cells]) => line([name, triedWith(name), ...cells.map(mark)])),
    ...(reasons.length === 0 ? [] : ['', ...reasons.map((reason, index) => `${index + 1}. ${reason}`)]),
  ];
}

function meaningsOf(meanings: Readonly<Record<string, string>>): string[] {
  return [line(['case', 'what happens']), line(['---', '---']), ...Object.entries(meanings).map(line)];
}

/** The tables library × case and server × case as Markdown. */
export function renderFidelityTable(libraries: readonly FidelityLibrary[], entries: readonly EntryLibrary[]): string {
  const columns = [...Object.keys(FIDELITY_CASES), ...Object.keys(COMMON_COLUMNS)] as Column[];
  const entryColumns = [...Object.keys(ENTRY_CASES), ...Object.keys(ENTRY_COLUMNS)] as EntryColumn[];
  const entryCell = ({ loaded }: EntryLibrary, column: EntryColumn): true | string =>
    column === 'ES modules, CommonJS, bundled' ? loaded : true;
  return [
    INTRODUCTION,
    ...table(
      columns,
      'library',
      libraries.map((library) => [library.name, columns.map((column) => cellOf(library, column))]),
    ),
    '\n## The cases\n',
    ...meaningsOf({ ...FIDELITY_CASES, ...COMMON_COLUMNS }),
    ENTRIES,
    ...table(
      entryColumns,
      'server',
      entries.map((entry) => [entry.name, entryColumns.map((column) => entryCell(entry, column))]),
    ),
    '\n## The cases of servers\n',
    ...meaningsOf({ ...ENTRY_CASES, ...ENTRY_COLUMNS }),
    '',
  ].join('\n');
}
