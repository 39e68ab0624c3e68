// Takes OTLP over HTTP and gRPC, reads every request whole and forgets it: the least that a server in Node.js can do.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { EXPORT_PATH } from './ingest-client.ts';

const keep = (bytes: Buffer): Buffer => bytes;
const NOTHING = Buffer.alloc(0);

const http = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
});
const grpc = new Server({ 'grpc.max_receive_message_length': -1 });
grpc.addService(
  {
    export: {
      path: EXPORT_PATH,
      requestStream: false,
      responseStream: false,
      requestSerialize: keep,
      requestDeserialize: keep,
      responseSerialize: keep,
      responseDeserialize: keep,
    },
  },
  { export: (_call: unknown, reply: (error: null, answer: Buffer) => void) => reply(null, NOTHING) },
);

http.listen(0, '127.0.0.1', () => {
  grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, grpcPort) => {
    process.send?.({ httpPort: (http.address() as AddressInfo).port, grpcPort });
  });
});
