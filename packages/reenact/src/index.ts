export {
  agent,
  type BoundaryOptions,
  betterSqlite3Client,
  boundary,
  type ClientDefinition,
  type ClientMethod,
  type ClientOptions,
  guardrail,
  type Identity,
  identify,
  ioredisClient,
  mongodbClient,
  mysql2Client,
  pgClient,
  RecordingProcessor,
  redisClient,
  retrieval,
  sqliteClient,
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
