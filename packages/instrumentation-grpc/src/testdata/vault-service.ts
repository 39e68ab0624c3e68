import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** What a call opens a door with; see `vault.proto`. */
export interface Key {
  readonly user?: string;
  readonly password?: string;
  readonly proof?: { readonly api_key?: Buffer; readonly note?: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly extra?: unknown;
  readonly client_secret?: { readonly value: string };
  readonly numbers?: readonly number[];
  readonly proofs?: Readonly<Record<string, { readonly api_key: Buffer }>>;
  readonly access_token?: readonly string[];
  readonly response_id?: string;
}

/** What it gets. */
export interface Door {
  readonly session_token: string;
  readonly name: string;
}

/** A client as `loadPackageDefinition` makes it. */
export interface VaultClient extends grpc.Client {
  open(key: Key, callback: grpc.requestCallback<Door>): grpc.ClientUnaryCall;
  talk(): grpc.ClientDuplexStream<Key, Door>;
}

interface VaultPackage {
  readonly test: { readonly vault: { readonly Vault: grpc.ServiceClientConstructor } };
}

const file = fileURLToPath(new URL('vault.proto', import.meta.url));
const loaded = grpc.loadPackageDefinition(loadSync(file, { keepCase: true })) as unknown as VaultPackage;
const { Vault } = loaded.test.vault;

/** The definition of the service, with its files. */
export const vaultService: grpc.ServiceDefinition = Vault.service;

/** A client of the vault. */
export function vaultClient(address: string): VaultClient {
  return new Vault(address, grpc.credentials.createInsecure()) as unknown as VaultClient;
}

/** A door whose token is made of the password it was asked with, so that a client can hand it back. */
function doorFor({ user = '', password = '' }: Key): Door {
  return { session_token: `${[...password].reverse().join('')}-1`, name: `door of ${user}` };
}

/** Starts a server that opens doors; it keeps the keys it was asked with. `service`: another definition of the same. */
export async function startVault(
  service = vaultService,
): Promise<{ address: string; keys: Key[]; stop(): void }> {
  const keys: Key[] = [];
  const server = new grpc.Server();
  server.addService(service, {
    open: ({ request }: grpc.ServerUnaryCall<Key, Door>, callback: grpc.sendUnaryData<Door>) => {
      keys.push(request);
      callback(null, doorFor(request));
    },
    talk: (call: grpc.ServerDuplexStream<Key, Door>) => {
      call.on('data', (key: Key) => call.write(doorFor(key)));
      call.on('end', () => call.end());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, keys, stop: () => server.forceShutdown() };
}
