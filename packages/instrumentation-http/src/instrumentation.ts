import { syncBuiltinESMExports } from 'node:module';
import { InstrumentationBase, InstrumentationNodeModuleDefinition } from '@opentelemetry/instrumentation';
import { hookEsModules, httpCoverage, installConnectionWatch } from '@reenact/instrumentation';
import { HookedModules } from './hooked-modules.ts';
import { patchInbound } from './inbound/patch-inbound.ts';
import { outboundSettings } from './outbound/outbound-settings.ts';
import { patchOutbound } from './patch-outbound.ts';
import type { HttpInstrumentationConfig } from './types.ts';
import { LoadedUndici } from './undici/loaded-undici.ts';
import { patchPlatformUndici } from './undici/patch-platform-undici.ts';
import { HTTP_INSTRUMENTATION_NAME, HTTP_INSTRUMENTATION_VERSION, UNDICI_VERSIONS_SUPPORTED } from './version.ts';

/** By instance and not a field: the base class calls `enable` before the fields of a subclass exist. */
const undos = new WeakMap<object, () => void>();

const loadedUndici = new WeakMap<object, LoadedUndici>();

function undiciOf(instrumentation: object): LoadedUndici {
  const loaded = loadedUndici.get(instrumentation) ?? new LoadedUndici();
  loadedUndici.set(instrumentation, loaded);
  return loaded;
}

const hookedModules = new WeakMap<object, HookedModules>();

function hookedBy(instrumentation: object): HookedModules {
  const hooked = hookedModules.get(instrumentation) ?? new HookedModules();
  hookedModules.set(instrumentation, hooked);
  return hooked;
}

/**
 * Records and replays HTTP: requests sent by `fetch`, `node:http`, `node:https`, `node:http2` and the undici package, and requests that servers
 * of `node:http`, `node:https` and `node:http2` answer. Make it before other code takes these functions. `disable()` restores them exactly; two
 * instances in one process patch once.
 */
export class HttpInstrumentation extends InstrumentationBase<HttpInstrumentationConfig> {
  constructor(config: HttpInstrumentationConfig = {}) {
    super(HTTP_INSTRUMENTATION_NAME, HTTP_INSTRUMENTATION_VERSION, config);
  }

  /** All but undici is part of the platform and there from the start; only a loader hook makes copies of it. */
  protected override init(): InstrumentationNodeModuleDefinition[] {
    const platform = ['http', 'https', 'http2'].map(
      (name) =>
        new InstrumentationNodeModuleDefinition(name, ['*'], (moduleExports: unknown) => {
          hookedBy(this).add(name, moduleExports);
          return moduleExports;
        }),
    );
    const undici = (moduleExports: unknown): unknown => {
      this.instrumentUndici(moduleExports);
      return moduleExports;
    };
    return [...platform, new InstrumentationNodeModuleDefinition('undici', UNDICI_VERSIONS_SUPPORTED, undici)];
  }

  /** Patches one copy of undici that is at hand, for bundled code and for what was loaded before this instrumentation. */
  instrumentUndici(undici: unknown): void {
    undiciOf(this).add(undici);
  }

  override enable(): void {
    hookEsModules(import.meta.url);
    super.enable();
    if (undos.has(this)) return;
    const config = this.getConfig();
    const undoOutbound = config.outbound === false ? undefined : patchOutbound(config);
    const uncover = undoOutbound === undefined ? undefined : httpCoverage.cover();
    // Whoever has their requests recorded by other means would find every one of them among the connections.
    const unwatch = undoOutbound === undefined ? undefined : installConnectionWatch();
    const undoInbound = config.inbound === false ? undefined : patchInbound(config);
    undiciOf(this).enable(config);
    let isOn = true;
    const undoPlatform =
      config.outbound === false ? undefined : patchPlatformUndici(outboundSettings(config, () => isOn));
    this.publish();
    undos.set(this, () => {
      isOn = false;
      unwatch?.();
      uncover?.();
      undoOutbound?.();
      undoInbound?.();
      undiciOf(this).disable();
      undoPlatform?.();
      this.publish();
    });
  }

  /** Named imports of the modules see what their records hold, and only after this. */
  private publish(): void {
    syncBuiltinESMExports();
    hookedBy(this).publish();
  }

  override disable(): void {
    super.disable();
    undos.get(this)?.();
    undos.delete(this);
  }
}
