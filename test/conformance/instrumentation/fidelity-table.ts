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
helper methods, order. A number names the reason below the table why a cell cannot work.
`;

/** The table library × case as Markdown. */
export function renderFidelityTable(libraries: readonly FidelityLibrary[]): string {
  const columns = [...Object.keys(FIDELITY_CASES), ...Object.keys(COMMON_COLUMNS)] as Column[];
  const reasons: string[] = [];
  const mark = (cell: true | string): string => {
    if (cell === true) return '✓';
    if (!reasons.includes(cell)) reasons.push(cell);
    return String(reasons.indexOf(cell) + 1);
  };
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = libraries.map((library) => [library.name, ...columns.map((column) => mark(cellOf(library, column)))]);
  const meanings = Object.entries({ ...FIDELITY_CASES, ...COMMON_COLUMNS });
  return [
    INTRODUCTION,
    line(['library', ...columns]),
    line(['---', ...columns.map(() => ':-:')]),
    ...rows.map(line),
    ...(reasons.length === 0 ? [] : ['', ...reasons.map((reason, index) => `${index + 1}. ${reason}`)]),
    '\n## The cases\n',
    line(['case', 'what happens']),
    line(['---', '---']),
    ...meanings.map(([name, meaning]) => line([name, meaning])),
    '',
  ].join('\n');
}
