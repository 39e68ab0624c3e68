import { types } from 'node:util';
import type { Context } from '@opentelemetry/api';
import {
  CANONICAL_POLICIES,
  defaultEffect,
  type Effect,
  registerErrorClass,
  registerValueClass,
} from '@reenact/trace-model';
import { admit, wireMode } from '../../admission/current-gate.ts';
import { noteWrappedClient } from '../../connections/unseen/drivers.ts';
import type { BoundaryDefinition } from '../../gate/boundary-definition.ts';
import type { Admission, OpenCrossing, SpanStart } from '../../gate/gate.ts';
import { guarded } from '../../host/report-failure.ts';
import { spanView } from '../../view/span-view.ts';
import type { ClientCall, ClientDefinition, ClientMethod } from './client-definition.ts';
import { recordUncoveredCall } from './uncovered-call.ts';

/** The steps are part of the input: the same `all()` of another statement is another call. */
function inputOf({ method, parameters, steps }: ClientCall): unknown {
  return steps.length === 0 ? parameters : { steps, method, arguments: parameters };
}

function markLoss(crossing: OpenCrossing, call: ClientCall, loses: NonNullable<ClientMethod['loses']>): void {
  const lost = typeof loses === 'string' ? loses : guarded('telling what is lost', () => loses(call), undefined);
  if (lost !== undefined) crossing.markLossy(`/output ${lost}`);
}

/** Describes the calls of one client to the gate. Boundaries are made once per name and effect. */
export class ClientGate {
  /** What the application wrapped: a client, a client class, or the module of a driver. */
  readonly holder: object;
  /** Where a replay let a call run live, by which the client has connected; undefined where it let none. */
  liveContext: Context | undefined;
  private readonly name: string;
  private readonly definition: ClientDefinition;
  private readonly boundaries = new Map<string, BoundaryDefinition>();

  constructor(name: string, definition: ClientDefinition, holder: object) {
    this.holder = holder;
    this.name = name;
    this.definition = definition;
    noteWrappedClient(name);
    for (const errorClass of definition.errors ?? []) registerErrorClass(errorClass);
    for (const valueClass of definition.values ?? []) registerValueClass(valueClass);
  }

  /** Asks the gate about one call. Never throws outside a replay: where ours fails there, the call passes. */
  admit(given: ClientCall, method: ClientMethod): Admission {
    if (wireMode() === 'replay') return this.ask(given, method);
    return guarded<Admission>('admitting a call of a client', () => this.ask(given, method), { type: 'pass' });
  }

  private ask(given: ClientCall, method: ClientMethod): Admission {
    const call = method.hidesArguments === true ? { ...given, parameters: [] } : this.kept(given);
    const boundary = this.boundaryOf(this.nameOf(call.method, method), this.effectOf(call, method));
    const admission = admit({
      boundary,
      input: inputOf(call),
      span: this.spanOf(call, boundary),
      ...(method.closes && { closes: true }),
    });
    if (admission.type === 'run' && method.loses !== undefined) markLoss(admission.crossing, call, method.loses);
    return admission;
  }

  /** Admits an event that a client tells of: a delivery to whoever listens (docs/adr/0038). */
  admitAnnouncement(event: string, parameters: readonly unknown[]): Admission {
    const { kind, capture } = this.definition;
    const boundary: BoundaryDefinition = {
      kind,
      name: this.nameOf(event, {}),
      effect: 'read',
      capture: capture ?? 'full',
      policy: CANONICAL_POLICIES.delivery,
    };
    return admit({
      boundary,
      input: [event, ...parameters],
      call: 'sync',
      span: { ...spanView(boundary), kind: 'consumer' },
    });
  }

  /** What the client itself is given. */
  ownArguments(parameters: readonly unknown[]): readonly unknown[] {
    const { ownArguments } = this.definition;
    if (ownArguments === undefined) return parameters;
    return guarded('reading arguments', () => ownArguments(parameters), parameters);
  }

  /** A call of an object was answered with this, or a promise of it. */
  answered(call: ClientCall, object: object | undefined, served: unknown): void {
    const { answered } = this.definition;
    if (answered === undefined) return;
    const note = (error?: unknown): void => guarded('noting an answer', () => answered(call, object, error), undefined);
    if (types.isPromise(served)) served.then(() => note(), note);
    else note();
  }

  private kept(call: ClientCall): ClientCall {
    const { keptArguments } = this.definition;
    if (keptArguments === undefined) return call;
    const steps = call.steps.map(([method, parameters]) => [method, keptArguments(parameters)] as const);
    return { ...call, parameters: keptArguments(call.parameters), steps };
  }

  /** A method that the definition does not list was called, and gave this. */
  leftToClient(key: PropertyKey, result: unknown): void {
    if (this.definition.isWhole === true) recordUncoveredCall(this.name, key, result);
  }

  /** `<kind>:<name>` of a method, as refusals and selectors call it. */
  labelOf(key: string, method: ClientMethod): string {
    return `${this.definition.kind}:${this.nameOf(key, method)}`;
  }

  private nameOf(key: string, { name = `${this.name}.${key}` }: ClientMethod): string {
    const { ownName } = this.definition;
    const isOfDriver = name.startsWith(`${this.name}.`);
    return ownName !== undefined && isOfDriver ? `${ownName}${name.slice(this.name.length)}` : name;
  }

  private effectOf(call: ClientCall, { effect }: ClientMethod): Effect {
    const { kind, effect: ofClient } = this.definition;
    const declared =
      typeof effect === 'function' ? guarded<Effect>('telling an effect', () => effect(call), 'write') : effect;
    return declared ?? ofClient ?? defaultEffect(kind);
  }

  private boundaryOf(name: string, effect: Effect): BoundaryDefinition {
    const key = `${name}\n${effect}`;
    const known = this.boundaries.get(key);
    if (known !== undefined) return known;
    const { kind, capture, policy } = this.definition;
    const made: BoundaryDefinition = {
      kind,
      name,
      effect,
      capture: capture ?? 'full',
      policy: policy ?? CANONICAL_POLICIES.arguments,
    };
    this.boundaries.set(key, made);
    return made;
  }

  private spanOf(call: ClientCall, boundary: BoundaryDefinition): SpanStart {
    const start = spanView(boundary);
    const { view } = this.definition;
    return view === undefined ? start : { ...start, ...guarded('describing a call', () => view(call), {}) };
  }
}
