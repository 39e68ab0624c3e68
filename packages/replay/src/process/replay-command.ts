import { type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import { type GuardOptions, NOTHING_ALLOWED } from '../guard/guard-options.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { checkReplayable } from '../report/check-replayable.ts';
import { buildReport } from '../report/report-builder.ts';
import { type ChildEnvironmentOptions, childEnvironment } from './child-environment.ts';
import { createPositionKey } from './position-token.ts';
import { createReplayDirectory, gatherReports, removeReplayDirectory } from './replay-directory.ts';
import { createReplayId } from './replay-id.ts';
import { type ChildOptions, runChild } from './run-child.ts';

/** What it takes to run a command as a replay. */
export interface ReplayCommandOptions extends ChildOptions {
  readonly recording: Recording;
  /** A root of the recording: a command always re-runs the whole run. */
  readonly rootSpanId: string;
  readonly plan: Plan;
  /** What code that no boundary covers may touch. Default: nothing beyond docs/adr/0009. */
  readonly guard?: GuardOptions | undefined;
  /** Environment of the child; the replay adds to it. */
  readonly environment: NodeJS.ProcessEnv;
  /** `file:` URL of the module that makes the child join, `reenact/register`. */
  readonly registerUrl: string;
}

function refuseNested(options: ReplayCommandOptions): void {
  const { recording, rootSpanId, command } = options;
  if (recording.roots.some(({ spanId }) => spanId === rootSpanId)) return;
  const nested = recording.bySpanId.get(rootSpanId);
  let root = nested;
  while (root?.parentSpanId !== undefined && recording.bySpanId.has(root.parentSpanId)) {
    root = recording.bySpanId.get(root.parentSpanId);
  }
  if (nested === undefined || root === undefined) {
    throw new ReenactError('not-found', `The recording holds no crossing with span id ${rootSpanId}.`, {
      where: rootSpanId,
      next: 'Look at `reenact show <id>` for the span ids it holds.',
    });
  }
  throw new ReenactError('unsupported', `A command re-runs a whole run, and ${nested.path} is only a part of one.`, {
    where: rootSpanId,
    next: `Replay the run it belongs to: reenact replay ${root.spanId} -- ${command.join(' ')}\nTo re-run only this part, call it from code: replay({ recording, rootSpanId: '${rootSpanId}', run: () => … }).`,
  });
}

function notJoined(program: string | undefined): string {
  return `"${program ?? ''}" never joined the replay: it must be a Node.js program, and NODE_OPTIONS must reach it.`;
}

/**
 * Runs a command as a dedicated replay and gives its report. The verified recording, the plan and all reports meet in one
 * private directory (docs/adr/0006), which is gone at the end. Throws ReenactError before the command runs: `unsupported`,
 * `not-found`, `cold-case`, `recording-damaged`, `bad-plan`, `driver-failed`, `launch-failed`.
 */
export async function replayCommand(options: ReplayCommandOptions): Promise<ReplayReport> {
  const { recording, rootSpanId, plan, guard = NOTHING_ALLOWED } = options;
  refuseNested(options);
  checkReplayable(recording, rootSpanId, plan);
  const replayId = createReplayId();
  const key = createPositionKey();
  const directory = createReplayDirectory(recording, { replayId, rootSpanId, plan, guard, key });
  const variables: ChildEnvironmentOptions = { replayId, key, directory, registerUrl: options.registerUrl };
  const startedAt = performance.now();
  try {
    const agentExit = await runChild(options, childEnvironment(options.environment, variables));
    const { events, notes } = gatherReports(directory);
    if (!events.some(({ event }) => event.type === 'joined' || event.type === 'failed')) {
      notes.push(notJoined(options.command[0]));
    }
    const durationMs = performance.now() - startedAt;
    return buildReport({ recording, rootSpanId, replayId, process: 'dedicated', events, notes, durationMs, agentExit });
  } finally {
    removeReplayDirectory(directory);
  }
}
