import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { patchInbound } from './inbound/patch-inbound.ts';
import { patchOutbound } from './outbound/patch-outbound.ts';
import type { HttpInstrumentationConfig } from './types.ts';
import { HTTP_INSTRUMENTATION_NAME, HTTP_INSTRUMENTATION_VERSION } from './version.ts';

/** By instance and not a field: the base class calls `enable` before the fields of a subclass exist. */
const undos = new WeakMap<object, () => void>();

/**
 * Records and replays HTTP: requests sent by `fetch`, `node:http` and `node:https`, and requests that `node:http` and
 * `node:https` servers answer. Make it before other code takes these functions. `disable()` restores them exactly; two
 * instances in one process patch once.
 */
export class HttpInstrumentation extends InstrumentationBase<HttpInstrumentationConfig> {
  constructor(config: HttpInstrumentationConfig = {}) {
    super(HTTP_INSTRUMENTATION_NAME, HTTP_INSTRUMENTATION_VERSION, config);
  }

  /** Everything patched is part of the platform and there from the start: no module is waited for. */
  protected override init(): undefined {
    return undefined;
  }

  override enable(): void {
    super.enable();
    if (undos.has(this)) return;
    const config = this.getConfig();
    const undoOutbound = config.outbound === false ? undefined : patchOutbound(config);
    const undoInbound = config.inbound === false ? undefined : patchInbound(config);
    undos.set(this, () => {
      undoOutbound?.();
      undoInbound?.();
    });
  }

  override disable(): void {
    super.disable();
    undos.get(this)?.();
    undos.delete(this);
  }
}
