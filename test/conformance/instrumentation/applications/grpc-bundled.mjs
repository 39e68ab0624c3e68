import * as grpc from '@grpc/grpc-js';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { act } from './grpc-act.mjs';

export const run = (address) => {
  new GrpcInstrumentation().instrumentGrpc(grpc);
  return act(grpc, address);
};
