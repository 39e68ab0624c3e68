import type { Admission, GateCall, Members } from '@reenact/instrumentation';
import type { CaptureLevel, Effect } from '@reenact/trace-model';

/** Any function that is not ours. */
export type ForeignFunction = (this: unknown, ...parameters: unknown[]) => unknown;

/** What a wrapped function has to know. */
export interface WrapScope {
  admit(call: GateCall): Admission;
  readonly capture: CaptureLevel;
  readonly toolEffects: Readonly<Record<string, Effect>>;
  /** `ai@<version>`; undefined where the version could not be told. */
  readonly sdk: string | undefined;
  /** False once the instrumentation was switched off and the function lives on in somebody else's hands. */
  isActive(): boolean;
}

/** What the method of a model is asked for. */
export interface ModelOptions extends Members {
  readonly abortSignal?: AbortSignal;
}

/** A model of the AI SDK, of any provider and kind. */
export interface ForeignModel extends Members {
  readonly provider: string;
  readonly modelId: string;
}

/** One call of a method of a model. */
export interface ModelRequest {
  readonly model: ForeignModel;
  readonly method: string;
  readonly options: ModelOptions;
}
