import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';

/** How `McpInstrumentation` and `instrumentMcpClient` record. */
export interface McpInstrumentationConfig extends InstrumentationConfig {
  /**
   * How much of each request is kept. Below `full` a recording cannot be replayed, only compared (`digest`) or looked at
   * (`none`). Default `full`.
   */
  readonly capture?: CaptureLevel;
}
