import type { Context, TracerProvider } from '@opentelemetry/api';
import type { Recorder } from './crossing-facts.ts';

/** What a host or the register hook sets up; a member that is present replaces what was set before. */
export interface GateConfiguration {
  /** Used instead of the global tracer provider. */
  readonly tracerProvider?: TracerProvider | undefined;
  readonly recorder?: Recorder | undefined;
  /** Gives the context of the process span for calls that nothing encloses; asked at each such call. */
  readonly rootContext?: (() => Context | undefined) | undefined;
}
