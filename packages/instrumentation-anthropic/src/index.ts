export { emitsOwnSpans } from './emits-own-spans.ts';
export { instrumentAnthropic } from './instrument-anthropic.ts';
export { AnthropicInstrumentation } from './instrumentation.ts';
export type { AnthropicInstrumentationConfig } from './types.ts';
