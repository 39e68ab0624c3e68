import { readFileSync } from 'node:fs';
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { protoMethods } from '@reenact/collector-client/replay-service';
import protobuf from 'protobufjs';
import descriptors, { type IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';

const proto = readFileSync(new URL('../../../collector/proto/reflection.proto', import.meta.url), 'utf8');

/** An answer of the reflection service, as far as the tests look at it. */
export interface ReflectionAnswer {
  readonly validHost: string;
  readonly originalRequest: object;
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
  readonly allExtensionNumbersResponse?: { readonly baseTypeName: string; readonly extensionNumber: readonly number[] };
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly errorResponse?: { readonly errorCode: number; readonly errorMessage: string };
}

/** How the questions of one call went. */
export interface Asked {
  readonly answers: readonly ReflectionAnswer[];
  /** The status the call ended with. */
  readonly code: number;
  readonly details: string;
}

/** The two names of the service. */
export const REFLECTION_VERSIONS = ['v1', 'v1alpha'] as const;

/** A caller that knows nothing but the reflection service. */
export class ReflectionClient {
  readonly client: Client;
  private readonly version: (typeof REFLECTION_VERSIONS)[number];
  private readonly metadata = new Metadata();

  constructor(grpcUrl: string, version: (typeof REFLECTION_VERSIONS)[number] = 'v1', token?: string) {
    this.client = new Client(new URL(grpcUrl).host, credentials.createInsecure());
    this.version = version;
    if (token !== undefined) this.metadata.set('authorization', `Bearer ${token}`);
  }

  close(): void {
    this.client.close();
  }

  /** Opens a call. */
  open(): ClientDuplexStream<object, ReflectionAnswer> {
    const service = `grpc.reflection.${this.version}.ServerReflection`;
    const method = protoMethods(proto.replace('grpc.reflection.v1;', `grpc.reflection.${this.version};`), service);
    const { path, requestSerialize, responseDeserialize } = method<object, ReflectionAnswer>('ServerReflectionInfo');
    return this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, this.metadata);
  }

  /** Asks everything in one call. */
  ask(...requests: readonly object[]): Promise<Asked> {
    const call = this.open();
    const answers: ReflectionAnswer[] = [];
    call.on('data', (answer: ReflectionAnswer) => answers.push(answer));
    for (const request of requests) call.write(request);
    call.end();
    return new Promise((resolve) => {
      call.on('error', ({ code, details }: ServiceError) => resolve({ answers, code, details }));
      call.on('end', () => resolve({ answers, code: 0, details: '' }));
    });
  }

  /** The full names of all services. */
  async services(): Promise<readonly string[]> {
    const { answers } = await this.ask({ listServices: '*' });
    return answers[0]?.listServicesResponse?.service.map(({ name }) => name) ?? [];
  }

  /** The file that declares a symbol, and all that it imports. */
  async filesOf(symbol: string): Promise<readonly IFileDescriptorProto[]> {
    const { answers } = await this.ask({ fileContainingSymbol: symbol });
    const found = answers[0]?.fileDescriptorResponse?.fileDescriptorProto ?? [];
    return found.map((bytes) => descriptors.FileDescriptorProto.decode(bytes) as IFileDescriptorProto);
  }

  /** The types that a symbol's files declare, ready to encode and decode. */
  async typesOf(symbol: string): Promise<protobuf.Root> {
    return protobuf.Root.fromDescriptor({ file: [...(await this.filesOf(symbol))] });
  }
}
