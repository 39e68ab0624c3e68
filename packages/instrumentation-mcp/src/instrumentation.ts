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
import { patchTransport } from './transport-patch.ts';
import type { McpInstrumentationConfig } from './types.ts';
import {
  AI_SDK_MCP_VERSIONS_SUPPORTED,
  MCP_INSTRUMENTATION_NAME,
  MCP_INSTRUMENTATION_VERSION,
  MCP_SDK_VERSIONS_SUPPORTED,
  MCP_SPLIT_VERSIONS_SUPPORTED,
} from './version.ts';

const patchedClasses = ['Client', 'Server', 'StdioClientTransport', 'Experimental_StdioMCPTransport'] as const;

type PatchedClass = (typeof patchedClasses)[number];

const versionsOf = {
  '@modelcontextprotocol/sdk': MCP_SDK_VERSIONS_SUPPORTED,
  '@modelcontextprotocol/client': MCP_SPLIT_VERSIONS_SUPPORTED,
  '@ai-sdk/mcp': AI_SDK_MCP_VERSIONS_SUPPORTED,
};

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
      this.file(`${sdk}/dist/esm/client/stdio.js`, 'StdioClientTransport', sdk),
    ];
    const split = '@modelcontextprotocol/client';
    const aiSdk = '@ai-sdk/mcp';
    const transports = ['index.mjs', 'index.js'].map((name) =>
      this.file(`${aiSdk}/dist/mcp-stdio/${name}`, 'Experimental_StdioMCPTransport', aiSdk),
    );
    return [
      new InstrumentationNodeModuleDefinition(aiSdk, AI_SDK_MCP_VERSIONS_SUPPORTED, undefined, undefined, transports),
      new InstrumentationNodeModuleDefinition(sdk, MCP_SDK_VERSIONS_SUPPORTED, undefined, undefined, files),
      this.module(split, 'Client', [
        this.file(`${split}/dist/stdio.mjs`, 'StdioClientTransport', split),
        this.file(`${split}/dist/stdio.cjs`, 'StdioClientTransport', split),
      ]),
      this.module('@modelcontextprotocol/server', 'Server'),
    ];
  }

  /**
   * Patches a copy of the SDK that hooks cannot see: one that was loaded before this instrumentation. `moduleExports` is what
   * `import * as mcp from '@modelcontextprotocol/sdk/client/index.js'`, its `server/index.js` and `client/stdio.js`, a package of version 2, or
   * `@ai-sdk/mcp/mcp-stdio` gives.
   * Twice changes nothing; `disable()` undoes it, too.
   */
  patchModule(moduleExports: unknown): void {
    for (const className of patchedClasses) this.load(moduleExports, className, undefined);
  }

  private file(
    name: string,
    className: PatchedClass,
    packageName: keyof typeof versionsOf,
  ): InstrumentationNodeModuleFile {
    const patch = this.patchOf(className, packageName);
    return new InstrumentationNodeModuleFile(name, versionsOf[packageName], patch, () => undefined);
  }

  private module(
    name: string,
    className: PatchedClass,
    files: InstrumentationNodeModuleFile[] = [],
  ): InstrumentationNodeModuleDefinition {
    const patch = this.patchOf(className, name);
    return new InstrumentationNodeModuleDefinition(name, MCP_SPLIT_VERSIONS_SUPPORTED, patch, undefined, files);
  }

  private required(...[moduleExports, className, version]: Parameters<RequiredListener>): void {
    this.patchOf(className, '@modelcontextprotocol/sdk')(moduleExports, version);
  }

  private patchOf(className: PatchedClass, packageName: string): (moduleExports: unknown, version?: string) => unknown {
    return (moduleExports, version) => {
      this.load(moduleExports, className, version === undefined ? undefined : `${packageName}@${version}`);
      return moduleExports;
    };
  }

  private load(moduleExports: unknown, className: PatchedClass, sdk: string | undefined): void {
    const prototype = exportedPrototype(moduleExports, className);
    if (typeof prototype !== 'object' || prototype === null) return;
    const settings = { admit, capture: this.getConfig().capture ?? 'full', sdk } as const;
    patchLoadedClass(this, prototype, () => {
      if (className === 'Client') return patchClient(prototype, settings);
      return className === 'Server' ? patchServer(prototype) : patchTransport(prototype, settings);
    });
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
