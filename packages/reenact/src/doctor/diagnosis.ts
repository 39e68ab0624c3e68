import { TRAPS, type Trap } from '@reenact/instrumentation';
import { ownCommand, typedAdvice } from '../terminal/own-command.ts';
import { alignColumns, paint, type Terminal } from '../terminal/terminal.ts';
import type { Finding } from './finding.ts';

/** What `reenact doctor` found. */
export interface Diagnosis {
  /** Problems first, then notes; each once. */
  readonly traps: readonly Trap[];
  /** Boundaries that were crossed and recorded, with how often; absent where no command was run. */
  readonly recorded?: Readonly<Record<string, number>>;
  /** What crossings lacked of what their boundary requires, with how often; absent where no command was run. */
  readonly flagged?: Readonly<Record<string, number>>;
  /** How the command ended. */
  readonly commandEnd?: string;
  /** Whether the hook got into the command; absent where none was run. */
  readonly hookLoaded?: boolean;
  /** Whether the app sets up recording itself, and was run with the register hook beside it; absent where no command was run. */
  readonly hasOwnSetUp?: boolean;
  /** Whether anything in the command records; absent where none was run, or none of its processes lived to tell. */
  readonly hasRecorder?: boolean;
}

function addCounts(into: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [label, count] of Object.entries(counts)) into[label] = (into[label] ?? 0) + count;
}

/** Puts together what the processes of a command told. */
export function diagnosisOf(findings: readonly Finding[], before: readonly Trap[], commandEnd?: string): Diagnosis {
  const traps = new Map<string, Trap>();
  const recorded: Record<string, number> = {};
  const flagged: Record<string, number> = {};
  for (const { kind, detail } of before) traps.set(`${kind} ${detail}`, { kind, detail });
  for (const finding of findings) {
    if (finding.type === 'trap') traps.set(`${finding.kind} ${finding.detail}`, finding);
    if (finding.type !== 'ended') continue;
    addCounts(recorded, finding.crossings);
    addCounts(flagged, finding.flagged);
  }
  const rank = ({ kind }: Trap): number => (TRAPS[kind].severity === 'problem' ? 0 : 1);
  const sorted = [...traps.values()]
    .map(({ kind, detail }) => ({ kind, detail }))
    .sort((one, other) => rank(one) - rank(other) || one.kind.localeCompare(other.kind));
  if (commandEnd === undefined) return { traps: sorted };
  const hookLoaded = findings.some(({ type }) => type === 'started');
  const hasOwnSetUp = findings.some((finding) => finding.type === 'ended' && finding.recorders > 1);
  const recorders = findings.flatMap((finding) => (finding.type === 'ended' ? [finding.recorders] : []));
  const told = recorders.length === 0 ? {} : { hasRecorder: recorders.some((count) => count > 0) };
  return { traps: sorted, recorded, flagged, commandEnd, hookLoaded, hasOwnSetUp, ...told };
}

/** What whoever looks at a service ends it with: it did all it was there for. */
const STOPPED: ReadonlySet<string> = new Set([
  'exit code 0',
  'exit code 130',
  'exit code 143',
  'signal SIGINT',
  'signal SIGTERM',
]);

/** Whether the command failed before anything crossed: what would be recorded of it is not known then. One that was killed could not tell. */
function hasFailedFirst({ recorded = {}, commandEnd, hasRecorder }: Diagnosis): boolean {
  if (commandEnd === undefined || hasRecorder === undefined) return false;
  return !STOPPED.has(commandEnd) && Object.keys(recorded).length === 0;
}

/** Whether something is not recorded as it should be, or could not be looked at. */
export function hasProblem(diagnosis: Diagnosis): boolean {
  const { traps, hookLoaded, hasRecorder } = diagnosis;
  if (hookLoaded === false || hasRecorder === false || hasFailedFirst(diagnosis)) return true;
  return traps.some(({ kind }) => TRAPS[kind].severity === 'problem');
}

function trapLines(kind: Trap['kind'], details: readonly string[], terminal: Terminal): string[] {
  const { severity, what, why, fix } = TRAPS[kind];
  const mark = severity === 'problem' ? paint(terminal, 'bad', '✗') : paint(terminal, 'warning', '!');
  const rows = [...details.map((detail) => ['found', detail]), ['cost', why], ['fix', typedAdvice(fix)]];
  return [
    `${mark} ${paint(terminal, 'strong', what)} ${paint(terminal, 'quiet', kind)}`,
    ...alignColumns(rows).map((line) => `    ${line}`),
  ];
}

function countedRows(counts: Readonly<Record<string, number>>): string[] {
  const rows = Object.entries(counts).sort(([one], [other]) => one.localeCompare(other));
  return alignColumns(rows.map(([label, count]) => [`  ${count}×`, label]));
}

function flaggedLines(flagged: Readonly<Record<string, number>>, terminal: Terminal): string[] {
  const what = 'Crossings lacked what their boundary requires.';
  return [
    `${paint(terminal, 'warning', '!')} ${paint(terminal, 'strong', what)}`,
    ...countedRows(flagged),
    `    fix  identify() or withIdentity() around the run; for an input, whoever makes the call. ${typedAdvice('`reenact show`')} says where.`,
  ];
}

function recordedLines(diagnosis: Diagnosis, terminal: Terminal): string[] {
  const { recorded = {}, commandEnd = '', hookLoaded, hasRecorder } = diagnosis;
  if (hookLoaded === false) {
    return [
      `${paint(terminal, 'bad', '✗')} ${paint(terminal, 'strong', 'The hook never got into the command, so nothing is recorded.')}`,
      '    fix  It must be a Node.js program, and NODE_OPTIONS must reach it.',
    ];
  }
  if (hasRecorder === false) {
    return [
      `${paint(terminal, 'bad', '✗')} ${paint(terminal, 'strong', 'Nothing records in this command, so all that crosses into the agent is lost.')}`,
      '    fix  Start it with the hook, node --import reenact/register app.mjs, or set up recording in the app: a RecordingProcessor among its span processors.',
      ...(STOPPED.has(commandEnd)
        ? []
        : [`         It ended with ${commandEnd}: where it failed before it set that up, mend what it printed first.`]),
    ];
  }
  if (hasFailedFirst(diagnosis)) {
    return [
      `${paint(terminal, 'bad', '✗')} ${paint(terminal, 'strong', 'The command failed before anything was recorded.')} It ended with ${commandEnd}.`,
      '    fix  Look at what it printed, and start it here as your agent is started.',
    ];
  }
  if (Object.keys(recorded).length === 0) {
    return [
      `${paint(terminal, 'warning', '!')} ${paint(terminal, 'strong', 'Nothing was recorded.')} The command ended with ${commandEnd}.`,
      '    fix  Give it something to do while it runs under the doctor, or wrap what crosses into your agent: agent(), tool(), boundary().',
    ];
  }
  const until = STOPPED.has(commandEnd) ? '' : `, until it ended with ${commandEnd}`;
  return [`Recorded while it ran${until}:`, ...countedRows(recorded)];
}

function ownSetUpLines(terminal: Terminal): string[] {
  const what = 'The app sets up recording itself, and ran under the register hook as well, which covers more.';
  return [
    `${paint(terminal, 'warning', '!')} ${paint(terminal, 'strong', what)}`,
    `    fix  Look again at the app as it is started without the hook: ${ownCommand()} doctor --as-is -- <command>`,
  ];
}

/** No check mark below a driver that nobody wrapped: it would say the contrary. */
function fineLine(blocks: readonly (readonly string[])[], terminal: Terminal): string {
  if (blocks.some(([first = '']) => first.includes('!'))) return 'No problem found, but look at what is marked with !.';
  return `${paint(terminal, 'good', '✓')} No problem found.`;
}

/** The diagnosis for people. */
export function renderDiagnosis(diagnosis: Diagnosis, terminal: Terminal): string {
  const kinds = [...new Set(diagnosis.traps.map(({ kind }) => kind))];
  const blocks = kinds.map((kind) =>
    trapLines(
      kind,
      diagnosis.traps.filter((trap) => trap.kind === kind).map(({ detail }) => detail),
      terminal,
    ),
  );
  if (diagnosis.commandEnd !== undefined) blocks.push(recordedLines(diagnosis, terminal));
  if (diagnosis.hasOwnSetUp === true) blocks.push(ownSetUpLines(terminal));
  const { flagged = {} } = diagnosis;
  if (Object.keys(flagged).length > 0) blocks.push(flaggedLines(flagged, terminal));
  if (!hasProblem(diagnosis)) blocks.push([fineLine(blocks, terminal)]);
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}
