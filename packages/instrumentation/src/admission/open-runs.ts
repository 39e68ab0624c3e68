import { type Context, isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';
import { crossingLabel, PROCESS_RUN_NAME } from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { GateConfiguration } from '../gate/gate-configuration.ts';
import { guarded } from '../host/report-failure.ts';
import { OPEN_CROSSINGS_MAX } from '../limits.ts';
import { beforeRun } from '../run/before-run.ts';
import type { RootKind, RunUnderWay } from '../run/run-under-way.ts';
import { linkBeside } from '../run/set-up-links.ts';
import { trapLog } from '../traps/trap-log.ts';
import type { GateCrossing } from './open-crossing.ts';

/** The span that encloses what is called in `base`, where that is of the same trace. */
export function parentOf(base: Context, traceId: string): SpanContext | undefined {
  const parent = trace.getSpanContext(base);
  return parent !== undefined && isSpanContextValid(parent) && parent.traceId === traceId ? parent : undefined;
}

/** The agents and requests that go on and that no other crossing encloses, as many as are kept track of. */
export class OpenRuns {
  private readonly runs = new Map<GateCrossing, RunUnderWay>();

  /** `base`: the context that it was called in. */
  add(crossing: GateCrossing, kind: RootKind, base: Context): void {
    if (this.runs.size >= OPEN_CROSSINGS_MAX) return;
    const { context, spanContext } = crossing;
    const isEnclosed = parentOf(base, spanContext.traceId)?.isRemote === true;
    this.runs.set(crossing, { kind, context, isEnclosed });
  }

  delete(crossing: GateCrossing): void {
    this.runs.delete(crossing);
  }

  /** Their roots, in the order in which they began. */
  roots(): Iterable<GateCrossing> {
    return this.runs.keys();
  }

  /** In the order in which they began. */
  get underWay(): readonly RunUnderWay[] {
    return [...this.runs.values()];
  }

  /** Tells that a root has begun: the code of agents and of the run of the process runs again, and is given again what it was. */
  tellBegin(crossing: GateCrossing, root: RootKind, { rootEnclosesRuns }: GateConfiguration): void {
    const run =
      root === 'process-run'
        ? { kind: root, context: crossing.context, isEnclosed: rootEnclosesRuns === true }
        : this.runs.get(crossing);
    if (run !== undefined) guarded('telling of a run', () => beforeRun.begins?.(run), undefined);
  }

  /** Names a call beside them, which may be one's own, come from a queue or a pool that was there before it. `around`: the boundary that encloses it. */
  noteCallBeside(
    boundary: BoundaryDefinition,
    root: RootKind | undefined,
    around: () => BoundaryDefinition | undefined,
    { openedRootContext }: GateConfiguration,
  ): void {
    if (this.runs.size === 0 || root === 'request' || root === 'process-run') return;
    if (!(root === 'run' ? boundary.kind !== 'agent' : isRunOfProcess(around()))) return;
    const label = crossingLabel(boundary);
    trapLog.report('lost-context', label);
    const setUp = guarded('linking the set-up of a run', () => linkBeside(openedRootContext?.()), undefined);
    for (const run of this.runs.keys()) run.besides(label, setUp);
  }
}

function isRunOfProcess(boundary: BoundaryDefinition | undefined): boolean {
  return boundary?.kind === 'agent' && boundary.name === PROCESS_RUN_NAME;
}
