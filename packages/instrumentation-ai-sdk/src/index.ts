export { instrumentModel, instrumentTools } from './instrument-ai-sdk.ts';
export { AiSdkInstrumentation } from './instrumentation.ts';
export type { AiSdkInstrumentationConfig, AiSdkSettings } from './types.ts';
