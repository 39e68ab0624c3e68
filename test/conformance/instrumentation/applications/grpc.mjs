import * as grpc from '@grpc/grpc-js';
import { act } from './grpc-act.mjs';

export const run = (address) => act(grpc, address);
