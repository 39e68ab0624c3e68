import { createRequire } from 'node:module';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { guarded } from '@reenact/instrumentation';

/** By what an SDK registers what it sets up. */
interface ApiCopy {
  readonly context: Pick<typeof context, 'setGlobalContextManager'>;
  readonly metrics: Pick<typeof metrics, 'setGlobalMeterProvider'>;
  readonly propagation: Pick<typeof propagation, 'setGlobalPropagator'>;
  readonly trace: Pick<typeof trace, 'setGlobalTracerProvider'>;
}

function registerThroughOurs(copy: ApiCopy): void {
  // Called as methods, for what makes way for the app's provider stands there.
  copy.context.setGlobalContextManager = (manager) => context.setGlobalContextManager(manager);
  copy.metrics.setGlobalMeterProvider = (provider) => metrics.setGlobalMeterProvider(provider);
  copy.propagation.setGlobalPropagator = (propagator) => propagation.setGlobalPropagator(propagator);
  copy.trace.setGlobalTracerProvider = (provider) => trace.setGlobalTracerProvider(provider);
}

/**
 * Has what is set up through another copy of OpenTelemetry's API, the one in `folder`, set up through ours: only the very version that came
 * first may register, and with the hook that is ours. Of use to a copy that is no later, as only such finds what is there. Never throws.
 */
export function joinApiCopy(folder: string): void {
  const copy = (): ApiCopy => createRequire(import.meta.url)(folder) as ApiCopy;
  guarded('joining a copy of the OpenTelemetry API', () => registerThroughOurs(copy()), undefined);
}
