// gRPC with messages of JSON, so that no service needs a schema; over TLS where RPC_CERTIFICATES names a folder with certificates.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ChannelCredentials,
  Client,
  credentials,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

const certificates = process.env.RPC_CERTIFICATES;
const read = (name: string): Buffer => readFileSync(join(certificates ?? '', `${name}.pem`));

function clientCredentials(): ChannelCredentials {
  return certificates === undefined ? credentials.createInsecure() : credentials.createSsl(read('ca'));
}

function serverCredentials(): ServerCredentials {
  if (certificates === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: read('server'), private_key: read('server-key') };
  return ServerCredentials.createSsl(null, [pair]);
}

function method(path: string, responseStream = false): MethodDefinition<unknown, unknown> {
  const serialize = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
  return {
    path,
    requestStream: false,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
}

/** The methods of all services of the scenario. */
export const methods = {
  advise: method('/across.Advisor/Advise'),
  assess: method('/across.Risk/Assess'),
  watch: method('/across.Risk/Watch', true),
} as const;

/** A client of one service, and how to call its methods. */
export class JsonClient {
  private readonly client: Client;

  constructor(address: string) {
    this.client = new Client(address, clientCredentials());
  }

  ask<Answer>(
    { path, requestSerialize, responseDeserialize }: (typeof methods)['assess'],
    value: unknown,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, value, (error, answer) =>
        error === null ? resolve(answer as Answer) : reject(error),
      );
    });
  }

  async all<Answer>(
    { path, requestSerialize, responseDeserialize }: (typeof methods)['watch'],
    value: unknown,
  ): Promise<Answer[]> {
    const stream = this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, value);
    return (await stream.toArray()) as Answer[];
  }
}

/** Serves until SIGTERM, and prints its port. */
export function serveJson(
  served: Readonly<Record<string, MethodDefinition<unknown, unknown>>>,
  handlers: UntypedServiceImplementation,
): void {
  const server = new Server();
  server.addService(served, handlers);
  server.bindAsync(`127.0.0.1:${process.env.PORT ?? 0}`, serverCredentials(), (error, port) => {
    if (error !== null) throw error;
    console.log(JSON.stringify({ port }));
  });
  process.once('SIGTERM', () => server.forceShutdown());
}
