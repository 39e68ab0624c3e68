import type { Link, SpanContext } from '@opentelemetry/api';
import { ATTR_REENACT_PROCESS_RUN_BEFORE, ATTR_REENACT_PROCESS_RUN_LATEST } from '@reenact/semconv/reenact';
import { crossingLabel, PROCESS_RUN_LABEL } from '@reenact/trace-model';
import type { GateCall } from '../gate/gate.ts';
import { RUNS_AT_START_MAX } from '../limits.ts';
import type { RootKind } from '../run/run-under-way.ts';

/** One run of this process, and its 1-based place among them in start order. */
interface BegunRun {
  readonly context: SpanContext;
  readonly place: number;
}

/** What a call opens that nothing encloses. A request that came in is replayed by sending it again, whatever ran since the first of them. */
export function rootKindOf({ boundary, span }: GateCall): RootKind {
  if (span.kind === 'server') return 'request';
  return crossingLabel(boundary) === PROCESS_RUN_LABEL ? 'process-run' : 'run';
}

function linksTo(run: BegunRun | undefined): Link[] {
  if (run === undefined) return [];
  return [{ context: run.context, attributes: { [ATTR_REENACT_PROCESS_RUN_BEFORE]: run.place } }];
}

/**
 * Links the runs of one process in their start order, so that all of them are found from one (docs/adr/0034): each names the one before
 * it, and at its end the latest that had begun by then. Those that a replay makes are linked among themselves. Holds three runs at most.
 */
export class ProcessRuns {
  private latest: BegunRun | undefined;
  /** When the first request came in. */
  private atStart: { readonly latest: BegunRun | undefined } | undefined;
  private replayed: (BegunRun & { readonly replayId: string }) | undefined;

  /** The link to the run that began before the one that begins now; empty for the first. `replayId`: where a replay makes it. */
  linksBefore(replayId: string | undefined): Link[] {
    return linksTo(this.latestOf(replayId));
  }

  /**
   * The link of a request that came in to the latest run that its service had begun before the first of all requests: its command makes
   * those again, as an agent that warms up. Empty where they were many, as of a schedule: no command makes these again.
   */
  linksAtStart(replayId: string | undefined): Link[] {
    if (replayId !== undefined) return [];
    this.atStart ??= { latest: this.latest };
    const { latest } = this.atStart;
    return latest !== undefined && latest.place <= RUNS_AT_START_MAX ? linksTo(latest) : [];
  }

  /** Counts a run that begins. */
  began(context: SpanContext, replayId: string | undefined): void {
    const run = { context, place: (this.latestOf(replayId)?.place ?? 0) + 1 };
    if (replayId === undefined) this.latest = run;
    else this.replayed = { ...run, replayId };
  }

  /**
   * Gives, for a root that has opened now, how to ask for the link to the latest run that has begun after it. The run of the process names
   * the latest wherever that began: it names none before it, and its command makes all of them again.
   */
  linksSince(root: Exclude<RootKind, 'request'>, replayId: string | undefined): () => Link[] {
    const placeThen = root === 'process-run' ? 0 : (this.latestOf(replayId)?.place ?? 0);
    return () => {
      const latest = this.latestOf(replayId);
      if (latest === undefined || latest.place <= placeThen) return [];
      return [{ context: latest.context, attributes: { [ATTR_REENACT_PROCESS_RUN_LATEST]: latest.place } }];
    };
  }

  private latestOf(replayId: string | undefined): BegunRun | undefined {
    if (replayId === undefined) return this.latest;
    return this.replayed?.replayId === replayId ? this.replayed : undefined;
  }
}
