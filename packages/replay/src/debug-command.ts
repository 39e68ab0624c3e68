import { subtreeOf } from '@reenact/recordings';
import type { Crossing, ReplayReport } from '@reenact/trace-model';
import type { CallPlace } from './debug/debug-order.ts';
import { type GuardOptions, NOTHING_ALLOWED } from './guard/guard-options.ts';
import type { Plan, PlanRule } from './plan/plan-schema.ts';
import { type ReplayCommandOptions, replayCommand } from './replay-command.ts';
import { makePlan } from './resolution/plan.ts';
import { resolvePlan } from './resolution/resolved-plan.ts';

/** A replay that somebody wants to look into with a debugger. */
export interface DebugCommandOptions extends ReplayCommandOptions {
  /** Where debuggers connect, on this machine; 0 picks a free port. */
  readonly port: number;
  /**
   * Stop before the crossings this selector names. Default: at the first line of the program, or of the function that
   * enters the replay.
   */
  readonly pauseAt?: string | undefined;
  /** Told what a person should know before the program runs. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

function targetsOf(selector: string, { recording, rootSpanId }: ReplayCommandOptions): Crossing[] {
  // A plan that forbids them resolves the selector, with all it has to say about one that names nothing.
  const plan = resolvePlan(makePlan({ forbid: [selector] }, recording, rootSpanId), recording, rootSpanId);
  return subtreeOf(recording, rootSpanId).filter((crossing) => plan.treatmentOf(crossing) === 'forbid');
}

/** A run that is only looked over does nothing for real: what would run live, or with another input, is stubbed. */
function harmless(plan: Plan): Plan {
  const { fork: _fork, ...rest } = plan;
  const isHarmless = (rule: PlanRule): boolean =>
    rule.policy !== 'live' && !(rule.policy === 'edit' && /^input\b/.test(rule.at.trim()));
  return { ...rest, rules: plan.rules.filter(isHarmless) };
}

async function scoutedPlaces(options: ReplayCommandOptions, spanIds: readonly string[]): Promise<CallPlace[]> {
  const found: CallPlace[] = [];
  if (spanIds.length === 0) return found;
  const guard: GuardOptions = NOTHING_ALLOWED;
  await replayCommand({
    ...options,
    plan: harmless(options.plan),
    guard,
    exportUrl: undefined,
    stdio: 'pipe',
    onOutput: undefined,
    debug: { type: 'scout', spanIds: [...spanIds] },
    onEvents: (events) => {
      for (const { event } of events) {
        if (event.type !== 'called-from') continue;
        const { spanId, url, line, column, ordinal } = event;
        found.push({ spanId, url, line, column, ordinal });
      }
    },
  });
  return found;
}

/**
 * Runs a command as a replay that waits for a debugger and stops before the crossings that were named, on the user's line
 * that calls them (docs/debugging.md): the run is looked over once, fully stubbed and without output, to find those lines. Throws
 * ReenactError as `replayCommand` does, and `bad-plan` for a selector that names nothing.
 */
export async function debugCommand(options: DebugCommandOptions): Promise<ReplayReport> {
  const { port, pauseAt, onNotice, ...command } = options;
  if (pauseAt === undefined) return replayCommand({ ...command, debug: { type: 'first-line', port } });
  const targets = targetsOf(pauseAt, command);
  const spanIds = targets.map(({ spanId }) => spanId);
  // What a function enters is called by no line of the user: it stops inside the function.
  const called = targets.filter(({ spanId }) => command.entry === undefined || spanId !== command.rootSpanId);
  const places = await scoutedPlaces(
    command,
    called.map(({ spanId }) => spanId),
  );
  const unknown = called.filter(({ spanId }) => !places.some((place) => place.spanId === spanId));
  for (const { path } of unknown) {
    onNotice?.(`${path} is called from no known line: if it is reached, it stops inside the call.`);
  }
  return replayCommand({ ...command, debug: { type: 'stop', port, spanIds, places } });
}
