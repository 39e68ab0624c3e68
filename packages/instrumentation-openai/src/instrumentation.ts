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
import { openaiLibrary } from './openai-library.ts';
import type { OpenAIInstrumentationConfig } from './types.ts';
import { OPENAI_INSTRUMENTATION_NAME, OPENAI_INSTRUMENTATION_VERSION, OPENAI_VERSIONS_SUPPORTED } from './version.ts';

/**
 * Records and replays every call of the openai package: all clients, `AzureOpenAI`, any base URL, in ES modules and
 * CommonJS. Register it before the package is loaded. `disable()` restores the package exactly.
 */
export class OpenAIInstrumentation extends InstrumentationBase<OpenAIInstrumentationConfig> {
  constructor(config: OpenAIInstrumentationConfig = {}) {
    super(OPENAI_INSTRUMENTATION_NAME, OPENAI_INSTRUMENTATION_VERSION, config);
  }

  protected override init(): InstrumentationNodeModuleDefinition {
    const patch = (moduleExports: unknown, version?: string): unknown => {
      this.patchModule(moduleExports, version);
      return moduleExports;
    };
    // Patched again, to no effect, by file: code may import `openai/client` or `openai/azure` and never the package itself.
    const files = ['openai/client.js', 'openai/client.mjs'].map(
      (file) => new InstrumentationNodeModuleFile(file, OPENAI_VERSIONS_SUPPORTED, patch, () => undefined),
    );
    return new InstrumentationNodeModuleDefinition('openai', OPENAI_VERSIONS_SUPPORTED, patch, undefined, files);
  }

  /**
   * Patches a copy of the package that hooks cannot see: one that was loaded before this instrumentation. `moduleExports` is
   * what `import * as openai from 'openai'` or `require('openai')` gives. Twice changes nothing; `disable()` undoes it, too.
   */
  patchModule(moduleExports: unknown, version?: string): void {
    const prototype = exportedPrototype(moduleExports, 'OpenAI');
    const capture = this.getConfig().capture ?? 'full';
    patchLoadedClass(this, prototype, () =>
      patchClientPrototype(prototype, openaiLibrary, { admit, capture, sdk: sdkOfVersion(openaiLibrary, version) }),
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
