export { assembleRecording } from './assemble-recording.ts';
export { setUpTelemetry } from './assemble-set-ups.ts';
export { awaitsLogEvents } from './awaits-log-events.ts';
export type { CrossingDraft, Dialect } from './dialect.ts';
export { otelGenAiDialect } from './otel-genai/otel-genai-dialect.ts';
export { markedBeside } from './part-traces.ts';
export { PAYLOAD_SCHEMA_VERSION, reenactDialect } from './reenact/reenact-dialect.ts';
