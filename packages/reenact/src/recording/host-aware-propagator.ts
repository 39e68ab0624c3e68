import {
  type Context,
  propagation,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
} from '@opentelemetry/api';
import { registeredApi } from '@reenact/instrumentation';

/**
 * What OpenTelemetry's API propagates by: the host's own propagator where it sets one up, before or after our hook ran, else `own`.
 * OpenTelemetry takes the first one and refuses every other, so an app that propagates by B3 would do so by our headers.
 */
export class HostAwarePropagator implements TextMapPropagator {
  private propagator: TextMapPropagator;

  constructor(own: TextMapPropagator) {
    this.propagator = own;
  }

  /** Takes the global place where it is free, for as long as the host has no propagator of its own. */
  register(): void {
    const register = propagation.setGlobalPropagator;
    if (!propagation.setGlobalPropagator(this)) return;
    propagation.setGlobalPropagator = (propagator) => {
      propagation.setGlobalPropagator = register;
      if (!this.isRegistered()) return register.call(propagation, propagator);
      // It stays in its place, where what is read off headers is watched.
      this.propagator = propagator;
      return true;
    };
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    this.propagator.inject(context, carrier, setter);
  }

  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    return this.propagator.extract(context, carrier, getter);
  }

  fields(): string[] {
    return this.propagator.fields();
  }

  private isRegistered(): boolean {
    return registeredApi(globalThis)?.propagation === this;
  }
}
