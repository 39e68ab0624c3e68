import { type ContextManager, context, propagation } from '@opentelemetry/api';
import { processGlobal } from '@reenact/trace-model';
import { registeredApi } from './registered-api.ts';

/** As `manager`, which is of everybody: whoever disables it in a context has only this taken out of there. */
function sharedManager(manager: ContextManager): ContextManager {
  const shared: ContextManager = {
    active: () => manager.active(),
    with: (active, work, self, ...parameters) => manager.with(active, work, self, ...parameters),
    bind: (active, target) => manager.bind(active, target),
    enable: () => shared,
    disable: () => shared,
  };
  return shared;
}

/**
 * Lets the copy of OpenTelemetry's API in a context of `node:vm` find the contexts of the process, in which the runs of the process stand, where
 * nobody has set up others there. Its tracers are left alone: a test may set up its own.
 */
export function shareContexts(around: typeof globalThis = processGlobal()): void {
  const outer = registeredApi(around);
  const inner = registeredApi(globalThis);
  if (outer === undefined || outer === inner) return;
  const manager = outer.context && sharedManager(outer.context);
  if (inner !== undefined) {
    if (manager !== undefined) inner.context ??= manager;
    if (outer.propagation !== undefined) inner.propagation ??= outer.propagation;
    return;
  }
  // By the API itself, which thus has the version there that is loaded there: it refuses tracers beside another.
  if (manager !== undefined) context.setGlobalContextManager(manager);
  if (outer.propagation !== undefined) propagation.setGlobalPropagator(outer.propagation);
}
