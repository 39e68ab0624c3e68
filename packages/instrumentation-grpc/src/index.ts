export { GrpcInstrumentation } from './instrumentation.ts';
export type { GrpcInstrumentationConfig, ListeningRpcServer, RpcCall } from './types.ts';
