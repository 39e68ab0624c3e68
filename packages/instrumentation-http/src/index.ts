export { HttpInstrumentation } from './instrumentation.ts';
export type { HttpInstrumentationConfig, ListeningAddress, OutboundRequest } from './types.ts';
