export { instrumentOpenAI } from './instrument-openai.ts';
export { OpenAIInstrumentation } from './instrumentation.ts';
export type { OpenAIInstrumentationConfig } from './types.ts';
