export { HttpInstrumentation } from './instrumentation.ts';
export type { HttpInstrumentationConfig, InboundRequest, ListeningAddress, OutboundRequest } from './types.ts';
