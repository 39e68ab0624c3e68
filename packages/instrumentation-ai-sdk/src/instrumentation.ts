import { InstrumentationBase, InstrumentationNodeModuleDefinition } from '@opentelemetry/instrumentation';
import {
  admit,
  guarded,
  hookEsModules,
  installOwnedFetch,
  type Members,
  membersOf,
  reportFailure,
} from '@reenact/instrumentation';
import type { WrapScope } from './internal-types.ts';
import { isInServedCall } from './model-call.ts';
import type { AiSdkInstrumentationConfig } from './types.ts';
import {
  AI_SDK_INSTRUMENTATION_NAME,
  AI_SDK_INSTRUMENTATION_VERSION,
  AI_SDK_VERSIONS_SUPPORTED,
  PROVIDER_UTILS_VERSIONS_SUPPORTED,
} from './version.ts';
import { patchAgents, registerErrorClasses, wrappedExports } from './wrapped-exports.ts';

/** Stands where the key would be in a request that is never sent. */
const SERVED_API_KEY = 'reenact-replay';

/** One copy of the package that was loaded. */
interface LoadedModule {
  readonly moduleExports: Members;
  readonly scope: WrapScope;
  undoAgents: (() => void) | undefined;
}

/** By instance and not a field: the base class calls `init` and `enable` before the fields of a subclass exist. */
interface State {
  isOn: boolean;
  readonly loaded: LoadedModule[];
  undoFetch: (() => void) | undefined;
}

const states = new WeakMap<object, State>();

function stateOf(instrumentation: object): State {
  const state = states.get(instrumentation) ?? { isOn: false, loaded: [], undoFetch: undefined };
  states.set(instrumentation, state);
  return state;
}

/** The exports with others in the place of some: in place where that is possible, else a copy. */
function withExports(moduleExports: Members, replacements: ReadonlyMap<string, unknown>): Members {
  try {
    for (const [name, value] of replacements) (moduleExports as Record<string, unknown>)[name] = value;
    return moduleExports;
  } catch {
    // An ES module that was required: its namespace cannot be written to.
    return Object.freeze(
      Object.create(null, {
        ...Object.getOwnPropertyDescriptors({ ...moduleExports, ...Object.fromEntries(replacements) }),
        [Symbol.toStringTag]: { value: 'Module' },
      }) as Members,
    );
  }
}

/** Providers ask for their key before they send anything: a call that a replay answers needs none. */
function keyLoader(loadApiKey: (...parameters: unknown[]) => unknown): (...parameters: unknown[]) => unknown {
  return function loadApiKeyUnlessServed(this: unknown, ...parameters: unknown[]): unknown {
    try {
      return Reflect.apply(loadApiKey, this, parameters);
    } catch (error) {
      if (isInServedCall()) return SERVED_API_KEY;
      throw error;
    }
  };
}

/**
 * Records and replays the AI SDK: models of every provider, tools, agents, embeddings. Register it before `ai` is loaded.
 * `disable()` lets every call through as if it were not there.
 */
export class AiSdkInstrumentation extends InstrumentationBase<AiSdkInstrumentationConfig> {
  constructor(config: AiSdkInstrumentationConfig = {}) {
    super(AI_SDK_INSTRUMENTATION_NAME, AI_SDK_INSTRUMENTATION_VERSION, config);
  }

  protected override init(): InstrumentationNodeModuleDefinition[] {
    return [
      new InstrumentationNodeModuleDefinition('ai', AI_SDK_VERSIONS_SUPPORTED, (moduleExports: unknown, version) =>
        guarded('patching the AI SDK', () => this.patch(membersOf(moduleExports), version), moduleExports),
      ),
      new InstrumentationNodeModuleDefinition(
        '@ai-sdk/provider-utils',
        PROVIDER_UTILS_VERSIONS_SUPPORTED,
        (moduleExports: unknown) =>
          guarded('patching the AI SDK', () => this.patchKeys(membersOf(moduleExports)), moduleExports),
      ),
    ];
  }

  /**
   * Gives the exports of a copy of `ai` that hooks cannot see, one that was loaded before this instrumentation, with those in
   * their place that record. An ES module cannot be changed from outside: use what is returned. `disable()` silences it, too.
   */
  patchModule<Exports extends object>(moduleExports: Exports, version?: string): Exports {
    // A namespace of an ES module is copied: writing to it fails, and to what CommonJS gave would change it for everybody.
    return this.patch({ ...membersOf(moduleExports) }, version) as unknown as Exports;
  }

  private patch(moduleExports: Members, version: string | undefined): Members {
    const state = stateOf(this);
    const { capture = 'full', toolEffects = {} } = this.getConfig();
    const scope: WrapScope = {
      admit,
      capture,
      toolEffects,
      sdk: version === undefined ? undefined : `ai@${version}`,
      isActive: () => state.isOn,
    };
    const loaded: LoadedModule = { moduleExports, scope, undoAgents: undefined };
    state.loaded.push(loaded);
    registerErrorClasses(moduleExports);
    if (state.isOn) loaded.undoAgents = patchAgents(moduleExports, scope);
    return withExports(moduleExports, wrappedExports(moduleExports, scope));
  }

  private patchKeys(moduleExports: Members): Members {
    const { loadApiKey } = moduleExports;
    if (typeof loadApiKey !== 'function') {
      reportFailure('patching provider keys', 'this version of @ai-sdk/provider-utils has no loadApiKey');
      return moduleExports;
    }
    const load = keyLoader(loadApiKey as (...parameters: unknown[]) => unknown);
    return withExports(moduleExports, new Map([['loadApiKey', load]]));
  }

  override enable(): void {
    hookEsModules(import.meta.url);
    super.enable();
    const state = stateOf(this);
    if (state.isOn) return;
    state.isOn = true;
    state.undoFetch = installOwnedFetch();
    for (const loaded of state.loaded) loaded.undoAgents ??= patchAgents(loaded.moduleExports, loaded.scope);
  }

  override disable(): void {
    super.disable();
    const state = stateOf(this);
    state.isOn = false;
    state.undoFetch?.();
    state.undoFetch = undefined;
    for (const loaded of state.loaded) {
      loaded.undoAgents?.();
      loaded.undoAgents = undefined;
    }
  }
}
