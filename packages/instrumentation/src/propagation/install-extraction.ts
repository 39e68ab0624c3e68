import { type Context, context as contexts, type TextMapPropagator } from '@opentelemetry/api';
import { processGlobal } from '@reenact/trace-model';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { registeredApi } from '../host/registered-api.ts';
import { guarded } from '../host/report-failure.ts';
import { PatchSet } from '../patching/patch-set.ts';
import { scopeOf, withScope } from '../run/crossing-scope.ts';
import { positionOf, withPosition } from '../run/position.ts';

/** At the place where the code stands that has read it, where that is in the same trace; as it is else. */
function placedHere(read: Context): Context {
  const active = contexts.active();
  const scope = scopeOf(active);
  if (scope === undefined || scopeOf(read) !== undefined) return read;
  if (enclosingSpan(read)?.traceId !== scope.traceId) return read;
  const position = positionOf(read) ?? positionOf(active);
  const placed = withScope(read, scope);
  return position === undefined ? placed : withPosition(placed, position);
}

/**
 * From now on a context that code of a run reads off headers, and that names the trace of that very run, stands in the run. A framework hands a
 * request on in such a one, as Next.js does behind its proxy: the code there is the request's, and only its span is known to the headers. Gives
 * how to stop. Call it once the propagator is registered.
 */
export function installExtraction(): () => void {
  const patches = new PatchSet();
  const propagator = registeredApi(processGlobal())?.propagation;
  if (propagator !== undefined)
    guarded(
      'watching what is read off headers',
      () =>
        patches.precede<TextMapPropagator['extract']>(propagator, 'extract', (extract) => (...parameters) => {
          const read = Reflect.apply(extract, propagator, parameters);
          return guarded('placing what was read off headers', () => placedHere(read), read);
        }),
      undefined,
    );
  return () => patches.restore();
}
