import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';

/** How `AnthropicInstrumentation` and `instrumentAnthropic` record. */
export interface AnthropicInstrumentationConfig extends InstrumentationConfig {
  /**
   * How much of each call is kept. Below `full` a recording cannot be replayed, only compared (`digest`) or looked at
   * (`none`). Default `full`.
   */
  readonly capture?: CaptureLevel;
}
