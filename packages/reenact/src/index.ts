export {
  agent,
  type BoundaryOptions,
  boundary,
  guardrail,
  type Identity,
  identify,
  RecordingProcessor,
  retrieval,
  tool,
  withIdentity,
  withToolCallId,
} from '@reenact/instrumentation';
export { instrumentOpenAI, OpenAIInstrumentation } from '@reenact/instrumentation-openai';
export { type ReplayOptions, type ReplayResult, replay } from '@reenact/replay';
export {
  type Divergence,
  type ErrorCode,
  isReenactError,
  type Recording,
  ReenactError,
  type ReplayReport,
  registerErrorClass,
  registerValueClass,
} from '@reenact/trace-model';
export { findRecording, type NamedRecording } from './recording-source.ts';
