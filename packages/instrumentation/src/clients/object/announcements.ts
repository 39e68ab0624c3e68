import { type Context, context as contexts } from '@opentelemetry/api';
import { isInRun } from '../../admission/is-in-run.ts';
import type { Admission, OpenCrossing } from '../../gate/gate.ts';
import { guarded, reportFailure } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';
import { ANNOUNCEMENTS_MAX } from '../../limits.ts';
import { type StubAdmission, servedValue } from '../../results/served-value.ts';
import { scopeOf } from '../../run/crossing-scope.ts';
import type { Announcements } from './client-definition.ts';
import type { MethodCall } from './method-call.ts';

interface Subscription {
  readonly announcements: Announcements;
  readonly call: MethodCall;
  /** That of the crossing which subscribed. */
  readonly context: Context;
  told: number;
}

type Emit = (this: unknown, event: string, ...parameters: unknown[]) => unknown;

/** By the object that emits; a run that is over leaves none behind. */
const emitting = new WeakMap<object, Subscription[]>();

function isOver({ context }: Subscription): boolean {
  return (scopeOf(context)?.run.openRoots ?? 0) === 0;
}

const pass: Admission = { type: 'pass' };

function admitted(subscription: Subscription, event: string, parameters: readonly unknown[]): Admission {
  subscription.told += 1;
  if (subscription.told > ANNOUNCEMENTS_MAX) return pass;
  const { gate: clientGate } = subscription.call.object;
  const kept = subscription.announcements.keep?.(parameters) ?? parameters;
  const admission = runInContext(subscription.context, () => clientGate.admitAnnouncement(event, kept));
  if (subscription.told === ANNOUNCEMENTS_MAX && admission.type === 'run')
    admission.crossing.markLossy(`/output more than ${ANNOUNCEMENTS_MAX} of them may have come`);
  return admission;
}

/** Hands an event to the host through the gate, inside the crossing that asked for it. */
function announce(
  subscription: Subscription,
  event: string,
  parameters: readonly unknown[],
  hand: () => unknown,
): unknown {
  const admission = guarded('meeting an event', () => admitted(subscription, event, parameters), pass);
  switch (admission.type) {
    case 'pass':
      return hand();
    case 'run':
      try {
        const result = runInContext(admission.crossing.context, hand);
        admission.crossing.settle({ type: 'returned', value: undefined });
        return result;
      } catch (error) {
        admission.crossing.settle({ type: 'threw', error });
        throw error;
      }
    case 'stub':
      admission.crossing.abandon();
      return false;
    case 'refuse':
      return false;
  }
}

/** ioredis tells some things twice, the second time to those who want bytes, whether there is anybody or not. */
function isHeard(emitter: object, event: string): boolean {
  const count: unknown = Reflect.get(emitter, 'listenerCount');
  return typeof count !== 'function' || Reflect.apply(count, emitter, [event]) > 0;
}

function subscriptionTo(emitter: object, event: string, parameters: readonly unknown[]): Subscription | undefined {
  const subscriptions = emitting.get(emitter) ?? [];
  const open = subscriptions.filter((subscription) => !isOver(subscription));
  subscriptions.splice(0, subscriptions.length, ...open);
  if (!isHeard(emitter, event)) return undefined;
  return open.findLast(({ announcements: { events, isOf } }) => events.includes(event) && isOf(event, parameters));
}

/** Stands between an object and those who listen to it. Nothing of it changes but that. */
function watch(emitter: object): Subscription[] {
  const known = emitting.get(emitter);
  if (known !== undefined) return known;
  const open: Subscription[] = [];
  const emit = Reflect.get(emitter, 'emit') as Emit;
  const watched: Emit = function (event, ...parameters) {
    const hand = (): unknown => Reflect.apply(emit, this, [event, ...parameters]);
    const find = (): Subscription | undefined => subscriptionTo(emitter, event, parameters);
    const subscription = guarded('meeting an event', find, undefined);
    return subscription === undefined ? hand() : announce(subscription, event, parameters, hand);
  };
  Object.defineProperty(emitter, 'emit', { value: watched, configurable: true, writable: true, enumerable: false });
  emitting.set(emitter, open);
  return open;
}

function announcementsOf({ object, key, method, parameters }: MethodCall): Announcements | undefined {
  const { announces } = method;
  if (announces === undefined) return undefined;
  const call = { method: String(key), parameters, steps: object.steps };
  return guarded('telling what is announced', () => announces(call), undefined);
}

/** Whether what comes can be told again: to an object that a replay has, too, and in a run that ends before its process does. */
function isTold({ object }: MethodCall): boolean {
  return isInRun(contexts.active()) && object.steps.length === 0;
}

type Listener = (...parameters: unknown[]) => unknown;

/** By the host's listener: what stands in its place, and what that tells. */
const listeners = new WeakMap<Listener, { readonly emitter: object; readonly inPlace: Listener }>();

/** What the client itself is given in the place of a listener; the listener where it never asked for what is told again. */
export function listenerInPlace(parameter: unknown): unknown {
  return typeof parameter === 'function' ? (listeners.get(parameter as Listener)?.inPlace ?? parameter) : parameter;
}

function emitterOf({ events: [event = ''], listener }: Announcements): object {
  const heard = listener as Listener;
  const known = listeners.get(heard);
  if (known !== undefined) return known.emitter;
  const emitter = { emit: (_: string, ...parameters: unknown[]): unknown => heard(...parameters) };
  const inPlace = (...parameters: unknown[]): unknown => emitter.emit(event, ...parameters);
  listeners.set(heard, { emitter, inPlace });
  return emitter;
}

function subscribe(context: Context, call: MethodCall, announcements: Announcements): object | undefined {
  const hasListener = typeof announcements.listener === 'function';
  const emitter = hasListener ? emitterOf(announcements) : call.object.existing;
  if (emitter === undefined || typeof Reflect.get(emitter, 'emit') !== 'function') return undefined;
  watch(emitter).push({ announcements, call, context, told: 0 });
  return emitter;
}

/** Notes what a call asks to be told of, so that it is recorded; what cannot be told again is marked. Never throws. */
export function noteAnnouncements(crossing: OpenCrossing, call: MethodCall): void {
  const announcements = announcementsOf(call);
  if (announcements === undefined) return;
  const note = (): object | undefined => (isTold(call) ? subscribe(crossing.context, call, announcements) : undefined);
  if (guarded('noting a subscription', note, undefined) === undefined)
    crossing.markLossy(`/output ${announcements.events[0]} events`);
}

async function play(admission: StubAdmission, emitter: object): Promise<void> {
  for (const { recorded, due } of admission.deliveries) {
    await due();
    if ((scopeOf(admission.crossing.context)?.run.openRoots ?? 0) === 0) return;
    const given = servedValue(admission, recorded.input, 'An event') as readonly unknown[];
    Reflect.apply(Reflect.get(emitter, 'emit') as Emit, emitter, [...given] as [string, ...unknown[]]);
  }
}

/** Tells the host again what it was told when this was recorded, each when its time has come. */
export function playAnnouncements(admission: StubAdmission, call: MethodCall): void {
  if (admission.deliveries.length === 0) return;
  const announcements = announcementsOf(call);
  const emitter = announcements === undefined ? undefined : subscribe(admission.crossing.context, call, announcements);
  if (emitter === undefined) {
    admission.exhausted('The events that it asked for have nobody here who could tell them.');
    return;
  }
  play(admission, emitter).catch((error: unknown) => reportFailure('telling recorded events', error));
}
