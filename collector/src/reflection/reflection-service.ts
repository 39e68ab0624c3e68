import { type ServerDuplexStream, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { protoMethods, REPLAY_PROTO_FILE } from '@reenact/collector-client/replay-service';
import { OTLP_PROTO_FILES } from '@reenact/otlp';
import { SMALL_CALL_BYTES_MAX } from '../limits.ts';
import { HEALTH_PROTO_FILE } from '../services/health-service.ts';
import type { OfferedService } from '../services/offered-service.ts';
import { untilDrained } from '../services/until-drained.ts';
import type { DescribedFiles } from './describe-files.ts';
import { type ProtoSource, readProtoSource } from './proto-source.ts';
import type { ReflectionAnswer, ReflectionRequest, ReflectionResult } from './reflection-messages.ts';

type ReflectionCall = ServerDuplexStream<ReflectionRequest, ReflectionAnswer>;

const current = readProtoSource(new URL('../../proto/reflection.proto', import.meta.url));

/** Many tools still ask by the name that the service had before it was final; nothing else differs. */
const earlier: ProtoSource = {
  ...current,
  text: current.text.replace('package grpc.reflection.v1;', 'package grpc.reflection.v1alpha;'),
};

const versions = [
  { service: 'grpc.reflection.v1.ServerReflection', text: current.text },
  { service: 'grpc.reflection.v1alpha.ServerReflection', text: earlier.text },
];

/** Loaded when somebody asks: most collectors are never asked, and describing takes tens of milliseconds. */
async function describeOwnFiles(): Promise<DescribedFiles> {
  const { describeFiles } = await import('./describe-files.ts');
  const files = [...OTLP_PROTO_FILES, REPLAY_PROTO_FILE, HEALTH_PROTO_FILE].map(readProtoSource);
  return describeFiles([...files, current, earlier]);
}

/**
 * `grpc.reflection.v1` and `v1alpha`: lists and describes the services of a gRPC server, so that tools such as grpcurl need no `.proto`
 * files. Nothing of what is recorded can be asked for.
 */
export class ReflectionService {
  private readonly services: readonly string[];
  private readonly open = new Set<ReflectionCall>();
  private files: Promise<DescribedFiles> | undefined;

  /** `services` are the full names of what the server offers beside this. */
  constructor(services: readonly string[]) {
    this.services = [...services, ...versions.map(({ service }) => service)].toSorted();
  }

  /** What a server offers: both versions. Any known token lets a caller in: who may call something may ask what there is to call. */
  offered(): readonly OfferedService[] {
    const implementation: UntypedServiceImplementation = {
      serverReflectionInfo: (call: ReflectionCall) => this.serve(call),
    };
    return versions.map(({ service, text }) => {
      const method = protoMethods(text, service);
      const definition = {
        serverReflectionInfo: method<ReflectionRequest, ReflectionAnswer>('ServerReflectionInfo'),
      };
      return { definition, implementation, scope: 'any', callBytesMax: SMALL_CALL_BYTES_MAX };
    });
  }

  /** Ends the calls of those who keep theirs open, so that they hold up no stop. */
  stop(): void {
    for (const call of this.open) call.end();
    this.open.clear();
  }

  /** One question after another: what is not read piles up nowhere. */
  private serve(call: ReflectionCall): void {
    this.open.add(call);
    call.once('cancelled', () => this.open.delete(call));
    call.on('end', () => call.end());
    call.on('data', (request: ReflectionRequest) => {
      call.pause();
      void this.answer(request).then(
        async (answer) => {
          if (!call.write(answer)) await untilDrained(call);
          call.resume();
        },
        (thrown: unknown) => call.emit('error', { code: status.INTERNAL, details: String(thrown) }),
      );
    });
  }

  private async answer(request: ReflectionRequest): Promise<ReflectionAnswer> {
    this.files ??= describeOwnFiles();
    return { validHost: request.host, originalRequest: request, ...this.lookUp(request, await this.files) };
  }

  private lookUp(request: ReflectionRequest, files: DescribedFiles): ReflectionResult {
    const { fileByFilename, fileContainingSymbol, fileContainingExtension, allExtensionNumbersOfType } = request;
    if (request.listServices !== undefined) {
      return { listServicesResponse: { service: this.services.map((name) => ({ name })) } };
    }
    if (fileByFilename !== undefined) return described(files.byName(fileByFilename), fileByFilename);
    if (fileContainingSymbol !== undefined)
      return described(files.bySymbol(fileContainingSymbol), fileContainingSymbol);
    // No file has extensions.
    if (fileContainingExtension !== undefined)
      return notFound(`an extension of ${fileContainingExtension.containingType}`);
    if (allExtensionNumbersOfType !== undefined) {
      if (!files.isMessage(allExtensionNumbersOfType)) return notFound(allExtensionNumbersOfType);
      return { allExtensionNumbersResponse: { baseTypeName: allExtensionNumbersOfType, extensionNumber: [] } };
    }
    return { errorResponse: { errorCode: status.INVALID_ARGUMENT, errorMessage: 'The request asks for nothing.' } };
  }
}

function described(found: readonly Uint8Array[] | undefined, asked: string): ReflectionResult {
  return found === undefined ? notFound(asked) : { fileDescriptorResponse: { fileDescriptorProto: found } };
}

function notFound(what: string): ReflectionResult {
  return { errorResponse: { errorCode: status.NOT_FOUND, errorMessage: `This server does not know ${what}.` } };
}
