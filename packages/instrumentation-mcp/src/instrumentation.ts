import {
  InstrumentationBase,
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import { admit, hookEsModules } from '@reenact/instrumentation';
import { patchClient } from './client-patch.ts';
import { type RequiredListener, watchRequiredSdk } from './required-sdk.ts';
import { patchServer } from './server-patch.ts';
import type { McpInstrumentationConfig } from './types.ts';
import {
  MCP_INSTRUMENTATION_NAME,
  MCP_INSTRUMENTATION_VERSION,
  MCP_SDK_VERSIONS_SUPPORTED,
  MCP_SPLIT_VERSIONS_SUPPORTED,
} from './version.ts';

/** One class that was loaded: the CommonJS and the ES module copy of one package are two. */
interface LoadedClass {
  readonly patch: () => () => void;
  /** Present while the class is patched. */
  undo: (() => void) | undefined;
}

/** By instance and not a field: the base class calls `init` and `enable` before the fields of a subclass exist. */
const loadedClasses = new WeakMap<object, Map<unknown, LoadedClass>>();

const stopsWatching = new WeakMap<object, () => void>();

function loadedBy(instrumentation: object): Map<unknown, LoadedClass> {
  const loaded = loadedClasses.get(instrumentation) ?? new Map<unknown, LoadedClass>();
  loadedClasses.set(instrumentation, loaded);
  return loaded;
}

function prototypeOf(moduleExports: unknown, name: 'Client' | 'Server'): object | undefined {
  const exported: unknown =
    typeof moduleExports === 'object' && moduleExports !== null ? Reflect.get(moduleExports, name) : undefined;
  return typeof exported === 'function' ? (exported.prototype as object) : undefined;
}

/**
 * Records and replays every request of the MCP SDK's clients, over any transport, and lets its servers join the traces of
 * their callers; in ES modules and CommonJS. Register it before the SDK is loaded. `disable()` restores the SDK exactly.
 */
export class McpInstrumentation extends InstrumentationBase<McpInstrumentationConfig> {
  constructor(config: McpInstrumentationConfig = {}) {
    super(MCP_INSTRUMENTATION_NAME, MCP_INSTRUMENTATION_VERSION, config);
  }

  protected override init(): InstrumentationNodeModuleDefinition[] {
    const sdk = '@modelcontextprotocol/sdk';
    // By file: the package has no main module that would export the client. CommonJS code: see required-sdk.ts.
    const files = [
      this.file(`${sdk}/dist/esm/client/index.js`, 'Client', sdk),
      this.file(`${sdk}/dist/esm/server/index.js`, 'Server', sdk),
    ];
    return [
      new InstrumentationNodeModuleDefinition(sdk, MCP_SDK_VERSIONS_SUPPORTED, undefined, undefined, files),
      this.module('@modelcontextprotocol/client', 'Client'),
      this.module('@modelcontextprotocol/server', 'Server'),
    ];
  }

  /**
   * Patches a copy of the SDK that hooks cannot see: one that was loaded before this instrumentation. `moduleExports` is what
   * `import * as mcp from '@modelcontextprotocol/sdk/client/index.js'`, its `server/index.js`, or a package of version 2 gives.
   * Twice changes nothing; `disable()` undoes it, too.
   */
  patchModule(moduleExports: unknown): void {
    for (const className of ['Client', 'Server'] as const) {
      const prototype = prototypeOf(moduleExports, className);
      if (prototype !== undefined) this.load(prototype, className, undefined);
    }
  }

  private file(name: string, className: 'Client' | 'Server', sdk: string): InstrumentationNodeModuleFile {
    const patch = this.patchOf(className, sdk);
    return new InstrumentationNodeModuleFile(name, MCP_SDK_VERSIONS_SUPPORTED, patch, () => undefined);
  }

  private module(name: string, className: 'Client' | 'Server'): InstrumentationNodeModuleDefinition {
    return new InstrumentationNodeModuleDefinition(name, MCP_SPLIT_VERSIONS_SUPPORTED, this.patchOf(className, name));
  }

  private required(...[moduleExports, className, version]: Parameters<RequiredListener>): void {
    this.patchOf(className, '@modelcontextprotocol/sdk')(moduleExports, version);
  }

  private patchOf(
    className: 'Client' | 'Server',
    packageName: string,
  ): (moduleExports: unknown, version?: string) => unknown {
    return (moduleExports, version) => {
      const prototype = prototypeOf(moduleExports, className);
      if (prototype !== undefined)
        this.load(prototype, className, version === undefined ? undefined : `${packageName}@${version}`);
      return moduleExports;
    };
  }

  private load(prototype: object, className: 'Client' | 'Server', sdk: string | undefined): void {
    const loaded = loadedBy(this);
    const settings = { admit, capture: this.getConfig().capture ?? 'full', sdk } as const;
    const patch = (): (() => void) =>
      className === 'Client' ? patchClient(prototype, settings) : patchServer(prototype);
    const item = loaded.get(prototype) ?? { patch, undo: undefined };
    loaded.set(prototype, item);
    item.undo ??= item.patch();
  }

  override enable(): void {
    hookEsModules(import.meta.url);
    super.enable();
    const watched = stopsWatching.get(this);
    if (watched === undefined)
      stopsWatching.set(
        this,
        watchRequiredSdk((...loaded) => this.required(...loaded)),
      );
    // The base class remembers only the copy of the package that was loaded last.
    for (const item of loadedBy(this).values()) item.undo ??= item.patch();
  }

  override disable(): void {
    super.disable();
    stopsWatching.get(this)?.();
    stopsWatching.delete(this);
    for (const item of loadedBy(this).values()) {
      item.undo?.();
      item.undo = undefined;
    }
  }
}
