import {
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerOptions,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { passOverSpans, trapLog, watchSpans } from '@reenact/instrumentation';
import { besideRuns } from './spans-beside-runs.ts';
import { isAgentScope } from './spans-in-process-run.ts';
import { isUnaskedScope, passingTracer } from './unasked-spans.ts';

interface ProxyProvider extends TracerProvider {
  getDelegate(): TracerProvider;
  getDelegateTracer(name: string): Tracer | undefined;
}

function isProxy(provider: TracerProvider): provider is ProxyProvider {
  return 'getDelegateTracer' in provider && 'getDelegate' in provider;
}

/** Our provider as everybody else gets it: spans are made beside the runs, and those that nobody asked for are not made. */
function sharedProvider(own: TracerProvider): TracerProvider {
  const getTracer = (name: string, version?: string, options?: TracerOptions): Tracer =>
    isUnaskedScope(name) ? passingTracer(name) : besideRuns(own.getTracer(name, version, options), isAgentScope(name));
  return new Proxy(own, {
    get: (provider, key) => (key === 'getTracer' ? getTracer : Reflect.get(provider, key, provider)),
  });
}

/** The provider the host itself registered, where it did. */
function hostProvider(shared: TracerProvider): TracerProvider | undefined {
  const registered = trace.getTracerProvider();
  if (!isProxy(registered)) return registered;
  // A proxy that nobody gave a provider yet has no tracer to delegate to.
  if (registered.getDelegateTracer('reenact') === undefined) return undefined;
  const delegate = registered.getDelegate();
  return delegate === shared ? undefined : delegate;
}

/**
 * Hands out spans of the host's own provider where the host sets one up, before or after our hook ran, else of ours. So an
 * app's own SDK is never locked out by ours having registered first.
 */
export class HostAwareTracerProvider implements TracerProvider {
  private readonly own: TracerProvider;
  private readonly shared: TracerProvider;
  private isRegistered = false;

  constructor(own: TracerProvider) {
    this.own = own;
    this.shared = sharedProvider(own);
    passOverSpans(this.shared);
  }

  /** The provider in force now; ours becomes the global one the first time it is needed and no other is there. */
  current(): TracerProvider {
    const host = hostProvider(this.shared);
    if (host !== undefined) {
      watchSpans(host);
      return host;
    }
    if (!this.isRegistered) {
      this.isRegistered = true;
      trace.setGlobalTracerProvider(this.shared);
      this.makeWay();
    }
    return this.own;
  }

  /** OpenTelemetry takes the first provider and refuses every other: an app that registers its own later gets its place. */
  private makeWay(): void {
    const register = trace.setGlobalTracerProvider;
    trace.setGlobalTracerProvider = (provider) => {
      if (hostProvider(this.shared) === undefined) {
        trace.disable();
        trapLog.report('late-provider', provider.constructor.name);
      }
      trace.setGlobalTracerProvider = register;
      return register.call(trace, provider);
    };
  }

  getTracer(name: string, version?: string): Tracer {
    const tracer = (): Tracer => this.current().getTracer(name, version);
    return {
      startSpan: (spanName: string, options?: SpanOptions, context?: Context): Span =>
        tracer().startSpan(spanName, options, context),
      startActiveSpan: (...parameters: unknown[]): never => {
        const active = tracer();
        return (active.startActiveSpan as (...all: unknown[]) => never).apply(active, parameters);
      },
    };
  }
}
