import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';

const same = (bytes: Buffer): Buffer => bytes;

function method(name: string, isStream: boolean): ServiceDefinition[string] {
  return {
    path: `/e2e.Echo/${name}`,
    requestStream: isStream,
    responseStream: isStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

/** Servers of HTTP/1.1, HTTP/2 and gRPC that echo, on free ports; they count the connections that are made to them. */
export interface EchoServers {
  readonly environment: { readonly HTTP_URL: string; readonly HTTP2_URL: string; readonly GRPC_ADDRESS: string };
  /** So far, to those of HTTP. */
  readonly connections: number;
  /** So far, of gRPC. */
  readonly calls: number;
  stop(): Promise<void>;
}

function echo(call: ServerDuplexStream<Buffer, Buffer>): void {
  call.on('data', (word: Buffer) => call.write(Buffer.from(`${word}!`)));
  call.on('end', () => call.end());
}

/** Starts them. The first two requests to `/flaky` are turned away, and `/hang` is never answered. */
export async function startEchoServers(): Promise<EchoServers> {
  let connections = 0;
  let calls = 0;
  let flaky = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/hang') return;
    if (request.url === '/flaky') flaky += 1;
    response.statusCode = request.url === '/flaky' && flaky < 3 ? 503 : 200;
    response.end(`${request.method} ${request.url} ${body}`);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const second = createHttp2Server((request, response) => {
    if (request.url !== '/hang') response.end(`over 2: ${request.url}`);
  });
  second.on('connection', () => {
    connections += 1;
  });
  second.listen(0, '127.0.0.1');
  await once(second, 'listening');
  const rpc = new Server();
  rpc.addService(
    { say: method('Say', false), fail: method('Fail', false), hang: method('Hang', false), chat: method('Chat', true) },
    {
      say: ({ request }: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        calls += 1;
        answer(null, request);
      },
      fail: (_: unknown, answer: sendUnaryData<Buffer>) => answer({ code: status.NOT_FOUND, details: 'nobody' }),
      hang: () => undefined,
      chat: (call: ServerDuplexStream<Buffer, Buffer>) => {
        calls += 1;
        echo(call);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    rpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    environment: {
      HTTP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      HTTP2_URL: `http://127.0.0.1:${(second.address() as AddressInfo).port}`,
      GRPC_ADDRESS: `127.0.0.1:${port}`,
    },
    get connections() {
      return connections;
    },
    get calls() {
      return calls;
    },
    stop: async () => {
      rpc.forceShutdown();
      second.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
