import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CaptureLevel, Effect } from '@reenact/trace-model';

/** What the calls of a model, a toolset or a whole app are recorded with. */
export interface AiSdkSettings {
  /**
   * How much of each call is kept. Below `full` a recording cannot be replayed, only compared (`digest`) or looked at
   * (`none`). Default `full`.
   */
  readonly capture?: CaptureLevel;
  /** What running a tool does to the world, by the tool's name. A tool that is not named counts as `write`. */
  readonly toolEffects?: Readonly<Record<string, Effect>>;
}

/** How `AiSdkInstrumentation` records. */
export interface AiSdkInstrumentationConfig extends InstrumentationConfig, AiSdkSettings {}
