import {
  InstrumentationBase,
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import {
  admit,
  exportedPrototype,
  hookEsModules,
  patchLoadedClass,
  patchLoadedClasses,
  unpatchLoadedClasses,
} from '@reenact/instrumentation';
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

const stopsWatching = new WeakMap<object, () => void>();

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
    for (const className of ['Client', 'Server'] as const) this.load(moduleExports, className, undefined);
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
      this.load(moduleExports, className, version === undefined ? undefined : `${packageName}@${version}`);
      return moduleExports;
    };
  }

  private load(moduleExports: unknown, className: 'Client' | 'Server', sdk: string | undefined): void {
    const prototype = exportedPrototype(moduleExports, className);
    if (typeof prototype !== 'object' || prototype === null) return;
    const settings = { admit, capture: this.getConfig().capture ?? 'full', sdk } as const;
    patchLoadedClass(this, prototype, () =>
      className === 'Client' ? patchClient(prototype, settings) : patchServer(prototype),
    );
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
    patchLoadedClasses(this);
  }

  override disable(): void {
    super.disable();
    stopsWatching.get(this)?.();
    stopsWatching.delete(this);
    unpatchLoadedClasses(this);
  }
}
