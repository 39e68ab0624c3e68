import * as grpc from '@grpc/grpc-js';
import { type Door, type Key, type VaultClient, vaultService } from './vault-service.ts';

/** Names as generated code has them. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name.replaceAll(/_(\w)/g, (_found, letter: string) => letter.toUpperCase()),
      camelCased(held),
    ]),
  );
}

/** A message as google-protobuf makes it: members in a list without names, which `toObject` tells, bytes as base64. */
export class ListedMessage {
  readonly array: readonly unknown[];
  private readonly bytes: Buffer;

  private readonly tell: () => unknown;

  constructor(bytes: Buffer, tell: () => unknown) {
    this.bytes = bytes;
    this.tell = tell;
    this.array = Object.values(tell() as object);
  }

  serializeBinary(): Buffer {
    return this.bytes;
  }

  toObject(): object {
    const told = (value: unknown): unknown => {
      if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
      if (Array.isArray(value)) return value.map(told);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, told(held)]));
    };
    return told(camelCased(this.tell())) as object;
  }
}

/** The same service as two generators describe it: neither brings its files. */
export type Generator = 'plain objects' | 'classes';

type Definition = grpc.ServiceDefinition[string];

function withoutFiles(method: Definition): Definition {
  const kept = Object.entries(method).filter(([name]) => name !== 'requestType' && name !== 'responseType');
  return Object.fromEntries(kept) as unknown as Definition;
}

function methodOf(method: Definition, generator: Generator): Definition {
  const { responseDeserialize } = method;
  const plain = withoutFiles(method);
  if (generator === 'plain objects') {
    return { ...plain, responseDeserialize: (bytes: Buffer) => camelCased(responseDeserialize(bytes)) } as Definition;
  }
  return {
    ...plain,
    requestSerialize: (message: ListedMessage) => Buffer.from(message.serializeBinary()),
    responseDeserialize: (bytes: Buffer) => new ListedMessage(bytes, () => responseDeserialize(bytes)),
  } as Definition;
}

/** The definition of the service as generated code has it. */
export function generatedService(generator: Generator): grpc.ServiceDefinition {
  return Object.fromEntries(Object.entries(vaultService).map(([name, method]) => [name, methodOf(method, generator)]));
}

/** A client of the vault as generated code has it. */
export function generatedClient(address: string, generator: Generator): VaultClient {
  const Client = grpc.makeClientConstructor(generatedService(generator), 'Vault');
  return new Client(address, grpc.credentials.createInsecure()) as unknown as VaultClient;
}

/** A key as code of that generator makes it. */
export function generatedKey(key: Key, generator: Generator): Key {
  if (generator === 'plain objects') return key;
  const { requestSerialize } = vaultService.Open as grpc.MethodDefinition<Key, Door>;
  return new ListedMessage(requestSerialize(key), () => key) as unknown as Key;
}
