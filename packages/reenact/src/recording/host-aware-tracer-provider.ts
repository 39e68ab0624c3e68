import {
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerOptions,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { trapLog } from '@reenact/instrumentation';
import { besideRuns } from './spans-beside-runs.ts';
import { isUnaskedScope, passingTracer } from './unasked-spans.ts';

interface ProxyProvider extends TracerProvider {
  getDelegate(): TracerProvider;
  getDelegateTracer(name: string, version?: string, options?: TracerOptions): Tracer | undefined;
}

function isProxy(provider: TracerProvider): provider is ProxyProvider {
  return 'getDelegateTracer' in provider && 'getDelegate' in provider;
}

/** Our provider as everybody else gets it: spans are made beside the runs, and those that nobody asked for are not made. */
function sharedProvider(own: TracerProvider): TracerProvider {
  const getTracer = (name: string, version?: string, options?: TracerOptions): Tracer =>
    isUnaskedScope(name) ? passingTracer(name) : besideRuns(own.getTracer(name, version, options));
  return new Proxy(own, {
    get: (provider, key) => (key === 'getTracer' ? getTracer : Reflect.get(provider, key, provider)),
  });
}

/** A proxy that nobody gave a provider yet has no tracer to delegate to; what stands in for one is no method of its class. */
function hasDelegate(provider: ProxyProvider): boolean {
  const { getDelegateTracer } = Object.getPrototypeOf(provider) as ProxyProvider;
  return getDelegateTracer.call(provider, 'reenact') !== undefined;
}

/** The provider the host itself registered, where it did. */
function hostProvider(shared: TracerProvider): TracerProvider | undefined {
  const registered = trace.getTracerProvider();
  if (!isProxy(registered)) return registered;
  if (!hasDelegate(registered)) return undefined;
  const delegate = registered.getDelegate();
  return delegate === shared ? undefined : delegate;
}

/** A tracer that asks for the one in force at each span. */
function forwarding(tracer: () => Tracer): Tracer {
  return {
    startSpan: (spanName: string, options?: SpanOptions, context?: Context): Span =>
      tracer().startSpan(spanName, options, context),
    startActiveSpan: (...parameters: unknown[]): never => {
      const active = tracer();
      return (active.startActiveSpan as (...all: unknown[]) => never).apply(active, parameters);
    },
  };
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
    this.standIn();
  }

  /**
   * Makes spans for who asks before the first crossing does: the outermost span of a framework begins before its first call. To whoever looks,
   * nobody has registered yet: the place is the host's, and so are the spans of each tracer from the moment it takes it.
   */
  private standIn(): void {
    const registered = trace.getTracerProvider();
    if (!isProxy(registered) || hasDelegate(registered)) return;
    const { getDelegateTracer } = registered;
    registered.getDelegateTracer = (name, version, options) =>
      getDelegateTracer.call(registered, name, version, options) ?? this.tracerUntilHost(name, version, options);
  }

  private tracerUntilHost(name: string, version?: string, options?: TracerOptions): Tracer {
    const ours = this.shared.getTracer(name, version, options);
    return forwarding(() => hostProvider(this.shared)?.getTracer(name, version, options) ?? ours);
  }

  /** The provider in force now; ours becomes the global one the first time it is needed and no other is there. */
  current(): TracerProvider {
    const host = hostProvider(this.shared);
    if (host !== undefined) return host;
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
    return forwarding(() => this.current().getTracer(name, version));
  }
}
