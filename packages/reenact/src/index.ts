export {
  type Announcements,
  agent,
  type BoundaryOptions,
  betterSqlite3Client,
  boundary,
  type ClientDefinition,
  type ClientMethod,
  type ClientOptions,
  configureHostContent,
  configureRedaction,
  type Flushed,
  type FlushOptions,
  flush,
  guardrail,
  type HostContentPolicy,
  type Identity,
  type InputSchema,
  type InputSchemas,
  identify,
  installDrawRecording,
  ioredisClient,
  keep,
  libsqlClient,
  mongodbClient,
  mysql2Client,
  openFeatureHook,
  pgClient,
  RecordingProcessor,
  type RedactionOptions,
  type RedactionRule,
  type RequiredIdentity,
  redactionCounts,
  redisClient,
  retrieval,
  sqliteClient,
  tool,
  withIdentity,
  withToolCallId,
} from '@reenact/instrumentation';
export {
  AiSdkInstrumentation,
  type AiSdkInstrumentationConfig,
  instrumentModel,
  instrumentTools,
} from '@reenact/instrumentation-ai-sdk';
export { AnthropicInstrumentation, instrumentAnthropic } from '@reenact/instrumentation-anthropic';
export { GrpcInstrumentation, type GrpcInstrumentationConfig } from '@reenact/instrumentation-grpc';
export { HttpInstrumentation, type HttpInstrumentationConfig } from '@reenact/instrumentation-http';
export {
  instrumentMcpClient,
  instrumentMcpServer,
  instrumentMcpTransport,
  McpInstrumentation,
} from '@reenact/instrumentation-mcp';
export { instrumentOpenAI, OpenAIInstrumentation } from '@reenact/instrumentation-openai';
export type {
  EntryFunction,
  EntryLoader,
  ReenactConfig,
  ReplayAllOptions,
  ReplayedCode,
  ReplayOptions,
  ReplayResult,
  ReplaySettings,
} from '@reenact/replay';
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
export type { NamedRecording } from './reading/recording-source.ts';
export { defineReenact, findRecording, replay, replayAll } from './replaying/in-process-replay.ts';
