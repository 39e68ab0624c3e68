import { ListeningWatch } from '@reenact/instrumentation';
import type { ListeningRpcServer } from '../types.ts';

/** Who is told where servers of gRPC listen. */
export const rpcListening = new ListeningWatch<ListeningRpcServer>('grpc-listening.1');
