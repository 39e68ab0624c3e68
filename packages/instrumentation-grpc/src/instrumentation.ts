import {
  InstrumentationBase,
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import { hookEsModules } from '@reenact/instrumentation';
import { patchClient } from './client/patch-client.ts';
import { learnGenerated } from './names/generated-files.ts';
import { rpcSettings } from './rpc-settings.ts';
import { patchServer } from './server/patch-server.ts';
import { rpcListening } from './server/rpc-listening.ts';
import type { GrpcInstrumentationConfig } from './types.ts';
import {
  GRPC_INSTRUMENTATION_NAME,
  GRPC_INSTRUMENTATION_VERSION,
  GRPC_VERSIONS_SUPPORTED,
  PROTOBUF_VERSIONS_SUPPORTED,
} from './version.ts';

type GrpcModule = Parameters<typeof patchClient>[0] & Parameters<typeof patchServer>[0];

/** By instance and not a field: the base class calls `init` and `enable` before the fields of a subclass exist. */
const loadedCopies = new WeakMap<object, Map<GrpcModule, (() => void) | undefined>>();

/** How those that are to be told where servers listen are told no more. */
const unlistens = new WeakMap<object, () => void>();

function loadedBy(instrumentation: object): Map<GrpcModule, (() => void) | undefined> {
  const loaded = loadedCopies.get(instrumentation) ?? new Map<GrpcModule, (() => void) | undefined>();
  loadedCopies.set(instrumentation, loaded);
  return loaded;
}

function isGrpc(moduleExports: unknown): moduleExports is GrpcModule {
  if (typeof moduleExports !== 'object' || moduleExports === null) return false;
  return ['Client', 'Channel', 'Server', 'Metadata'].every(
    (name) => typeof Reflect.get(moduleExports, name) === 'function',
  );
}

/** What protoc-gen-es generates brings its definition: names of fields, for redaction, in messages over HTTP, too. */
function generatedCode(): InstrumentationNodeModuleDefinition {
  const name = '@bufbuild/protobuf';
  const files = ['esm', 'cjs'].map((format) => {
    let undo = (): void => undefined;
    const patch = (moduleExports: unknown): unknown => {
      undo = learnGenerated(moduleExports);
      return moduleExports;
    };
    const path = `${name}/dist/${format}/codegenv2/file.js`;
    return new InstrumentationNodeModuleFile(path, PROTOBUF_VERSIONS_SUPPORTED, patch, () => undo());
  });
  return new InstrumentationNodeModuleDefinition(name, PROTOBUF_VERSIONS_SUPPORTED, undefined, undefined, files);
}

/**
 * Records and replays gRPC: every call of clients of `@grpc/grpc-js`, and the calls that its servers answer. Register it
 * before the package is loaded, or hand it over with `instrumentGrpc`. `disable()` restores the package exactly.
 */
export class GrpcInstrumentation extends InstrumentationBase<GrpcInstrumentationConfig> {
  constructor(config: GrpcInstrumentationConfig = {}) {
    super(GRPC_INSTRUMENTATION_NAME, GRPC_INSTRUMENTATION_VERSION, config);
  }

  protected override init(): InstrumentationNodeModuleDefinition[] {
    const grpc = new InstrumentationNodeModuleDefinition(
      '@grpc/grpc-js',
      GRPC_VERSIONS_SUPPORTED,
      (moduleExports: unknown) => {
        this.instrumentGrpc(moduleExports);
        return moduleExports;
      },
    );
    return [grpc, generatedCode()];
  }

  /** Patches one copy of grpc-js that is at hand, for bundled code and for what was loaded before this instrumentation. */
  instrumentGrpc(grpc: unknown): void {
    const loaded = loadedBy(this);
    if (!isGrpc(grpc) || loaded.has(grpc)) return;
    loaded.set(grpc, this.isEnabled() ? this.patch(grpc) : undefined);
  }

  private patch(grpc: GrpcModule): () => void {
    const config = this.getConfig();
    let isOn = true;
    const settings = rpcSettings(config, () => isOn);
    const undoClient = config.outbound === false ? undefined : patchClient(grpc, settings);
    const undoServer = config.inbound === false ? undefined : patchServer(grpc, settings);
    return () => {
      isOn = false;
      undoServer?.();
      undoClient?.();
    };
  }

  override enable(): void {
    hookEsModules(import.meta.url);
    super.enable();
    const { inbound, onListening } = this.getConfig();
    if (inbound !== false && onListening !== undefined) unlistens.set(this, rpcListening.add(onListening));
    for (const [grpc, undo] of loadedBy(this)) if (undo === undefined) loadedBy(this).set(grpc, this.patch(grpc));
  }

  override disable(): void {
    super.disable();
    unlistens.get(this)?.();
    for (const [grpc, undo] of loadedBy(this)) {
      undo?.();
      loadedBy(this).set(grpc, undefined);
    }
  }
}
