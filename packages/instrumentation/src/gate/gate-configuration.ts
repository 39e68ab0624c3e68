import type { Context, TracerProvider } from '@opentelemetry/api';
import type { Recorder } from './crossing-facts.ts';
import type { Position } from './player.ts';

/** What a host or the register hook sets up; a member that is present replaces what was set before. */
export interface GateConfiguration {
  /** Used instead of the global tracer provider. */
  readonly tracerProvider?: TracerProvider | undefined;
  readonly recorder?: Recorder | undefined;
  /** Gives the context of the process span for calls that nothing encloses; asked at each such call. */
  readonly rootContext?: (() => Context | undefined) | undefined;
  /** The same context where it is open already; asking for it opens nothing. */
  readonly openedRootContext?: (() => Context | undefined) | undefined;
  /** Whether runs that nothing encloses go under the process span, too: where the process itself is part of a run. */
  readonly rootEnclosesRuns?: boolean | undefined;
  /** Whether requests carry the trace context of their crossing; asked at each, because the host may set up its own. */
  readonly injectsTraceContext?: (() => boolean) | undefined;
  /** Reads positions that come from other processes, where this one is shared by several replays and ordinary traffic. */
  readonly positionReader?: ((token: string) => Position | undefined) | undefined;
}
