import {
  InstrumentationBase,
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import {
  admit,
  exportedPrototype,
  hookEsModules,
  patchClientPrototype,
  patchLoadedClass,
  patchLoadedClasses,
  sdkOfVersion,
  unpatchLoadedClasses,
} from '@reenact/instrumentation';
import { anthropicLibrary } from './anthropic-library.ts';
import type { AnthropicInstrumentationConfig } from './types.ts';
import {
  ANTHROPIC_INSTRUMENTATION_NAME,
  ANTHROPIC_INSTRUMENTATION_VERSION,
  ANTHROPIC_VERSIONS_SUPPORTED,
} from './version.ts';

/**
 * Records and replays every call of the @anthropic-ai/sdk package: all clients, those of Bedrock and Vertex among them, any
 * base URL, in ES modules and CommonJS. Register it before the package is loaded. `disable()` restores the package exactly.
 */
export class AnthropicInstrumentation extends InstrumentationBase<AnthropicInstrumentationConfig> {
  constructor(config: AnthropicInstrumentationConfig = {}) {
    super(ANTHROPIC_INSTRUMENTATION_NAME, ANTHROPIC_INSTRUMENTATION_VERSION, config);
  }

  protected override init(): InstrumentationNodeModuleDefinition {
    const name = '@anthropic-ai/sdk';
    const patch = (moduleExports: unknown, version?: string): unknown => {
      this.patchModule(moduleExports, version);
      return moduleExports;
    };
    // Patched again, to no effect, by file: platform clients import `@anthropic-ai/sdk/client` and never the package itself.
    const files = [`${name}/client.js`, `${name}/client.mjs`].map(
      (file) => new InstrumentationNodeModuleFile(file, ANTHROPIC_VERSIONS_SUPPORTED, patch, () => undefined),
    );
    return new InstrumentationNodeModuleDefinition(name, ANTHROPIC_VERSIONS_SUPPORTED, patch, undefined, files);
  }

  /**
   * Patches a copy of the package that hooks cannot see: one that was loaded before this instrumentation. `moduleExports` is
   * what `import * as sdk from '@anthropic-ai/sdk'` or `require` gives. Twice changes nothing; `disable()` undoes it, too.
   */
  patchModule(moduleExports: unknown, version?: string): void {
    // What the clients of every platform extend.
    const prototype = exportedPrototype(moduleExports, 'BaseAnthropic');
    const capture = this.getConfig().capture ?? 'full';
    patchLoadedClass(this, prototype, () =>
      patchClientPrototype(prototype, anthropicLibrary, {
        admit,
        capture,
        sdk: sdkOfVersion(anthropicLibrary, version),
      }),
    );
  }

  override enable(): void {
    hookEsModules(import.meta.url);
    super.enable();
    patchLoadedClasses(this);
  }

  override disable(): void {
    super.disable();
    unpatchLoadedClasses(this);
  }
}
