import { context as contexts } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  guarded,
  JOIN_QUESTION_METHOD,
  MemberPatcher,
  recordConnection,
  runInContext,
  telemetryContext,
  wireMode,
} from '@reenact/instrumentation';
import { answersByStream, learnService, learnStream } from '../names/learned-methods.ts';
import { outboundCall } from '../rpc-call.ts';
import type { RpcSettings } from '../rpc-settings.ts';
import type { CreateCall, MetadataClass, WireCall } from '../wire-call.ts';
import { LiveCall } from './live-call.ts';
import { noteMessages } from './note-messages.ts';
import { type CallFacts, CallRecorder } from './recorded-call.ts';
import { ReplayedCall } from './replayed-call.ts';
import { isHeldExport, isNamedTelemetry, TakenCall } from './taken-call.ts';

const members = new MemberPatcher(Symbol.for('reenact.grpc.patched.1'));

/** READY of grpc-js. */
const ready = 2;

function record(make: () => WireCall, facts: CallFacts, settings: RpcSettings): WireCall {
  const { path, target } = facts;
  const admission = guarded<Admission>(
    'admitting a call',
    () => admit(outboundCall({ method: path, target }, settings.capture)),
    { type: 'pass' },
  );
  if (admission.type !== 'run') return make();
  const { crossing } = admission;
  const recorder = guarded('recording a call', () => new CallRecorder(facts, crossing), undefined);
  if (recorder === undefined) return make();
  try {
    return new LiveCall(runInContext(crossing.context, make), target, crossing, recorder);
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

function gatedCreateCall(original: CreateCall, Metadata: MetadataClass, settings: RpcSettings): CreateCall {
  return function createCall(path, ...others) {
    const make = (): WireCall => Reflect.apply(original, this, [path, ...others]);
    const mode = settings.isActive() ? wireMode() : 'pass';
    const target = (): string => this.getTarget();
    const held = (isNamed: boolean): WireCall | undefined =>
      isHeldExport(path, target, isNamed) ? new TakenCall(target(), Metadata, answersByStream(path)) : undefined;
    if (mode === 'pass') return held(false) ?? make();
    // Recorded, its connection is known by the channel that makes it.
    if (isNamedTelemetry(target)) {
      if (mode === 'record') return make();
      return contexts.with(telemetryContext(contexts.active()), () => held(true) ?? make());
    }
    const isIgnored = (): boolean => typeof path !== 'string' || settings.ignores('outbound', path);
    if (guarded('reading which calls to ignore', isIgnored, mode === 'record')) return make();
    const facts = guarded('reading a call', () => ({ path, target: target() }), undefined);
    if (facts === undefined) return make();
    if (mode === 'record') return record(make, facts, settings);
    const [deadline, host] = others;
    const makeQuestion = (): WireCall => Reflect.apply(original, this, [JOIN_QUESTION_METHOD, deadline, host]);
    return new ReplayedCall({ facts, settings, Metadata, makeReal: make, makeQuestion });
  };
}

/** Whoever waits for the connection goes on at once in a replay: there is none, and none is made. */
function gatedState(original: (...given: unknown[]) => number, settings: RpcSettings): (...given: unknown[]) => number {
  return function getConnectivityState(this: unknown, ...given) {
    if (settings.isActive() && wireMode() === 'replay') return ready;
    return Reflect.apply(original, this, given);
  };
}

type Wait = (this: object, ...given: unknown[]) => unknown;

/** A replay answers that the channel is ready. The agent that was told otherwise is marked for it. */
function watchedWait(original: Wait, settings: RpcSettings): Wait {
  return function waitForReady(deadline, callback, ...others) {
    if (!settings.isActive() || typeof callback !== 'function') {
      return Reflect.apply(original, this, [deadline, callback, ...others]);
    }
    const asked = contexts.active();
    const told = (...given: unknown[]): unknown => {
      if (given[0] !== undefined && given[0] !== null) {
        const place = `${guarded('reading a channel', () => targetOf(this), 'channel')}, which was not ready`;
        runInContext(asked, () => recordConnection(() => ({ place, package: '@grpc/grpc-js' })));
      }
      return Reflect.apply(callback, undefined, given);
    };
    return Reflect.apply(original, this, [deadline, told, ...others]);
  };
}

function targetOf(client: object): string {
  return (client as { getChannel(): { getTarget(): string } }).getChannel().getTarget();
}

type MakeRequest = (this: object, ...given: unknown[]) => unknown;

/**
 * Every call of every client passes one of the last two, with a client whose class knows its service. Those of clients that grpc-js
 * makes of a definition do not pass the others: it took them when it was loaded.
 */
const requestMembers = [
  'makeUnaryRequest',
  'makeClientStreamRequest',
  'makeServerStreamRequest',
  'makeBidiStreamRequest',
  'checkOptionalUnaryResponseArguments',
  'checkMetadataAndOptions',
];

const streamMembers: ReadonlySet<string> = new Set(['makeServerStreamRequest', 'makeBidiStreamRequest']);

function learningRequest(original: MakeRequest, settings: RpcSettings, name: string): MakeRequest {
  return function makeRequest(...given) {
    if (settings.isActive()) {
      learnService(guarded('reading a client', () => serviceOf(this), undefined));
      if (streamMembers.has(name)) learnStream(given[0]);
    }
    return Reflect.apply(original, this, given);
  };
}

function serviceOf(client: object): unknown {
  return Reflect.get(client.constructor, 'service');
}

/** Puts the gate into the clients of one loaded copy of grpc-js. Returns how to undo it. */
export function patchClient(
  grpc: {
    readonly Channel: { readonly prototype: object };
    readonly Client: { readonly prototype: object };
    readonly Metadata: MetadataClass;
  },
  settings: RpcSettings,
): () => void {
  const channel = grpc.Channel.prototype;
  if (members.isPatched(Reflect.get(channel, 'createCall'))) return () => undefined;
  const undos = [
    members.patch<CreateCall>(channel, 'createCall', (original) => gatedCreateCall(original, grpc.Metadata, settings)),
    members.patch<(...given: unknown[]) => number>(channel, 'getConnectivityState', (original) =>
      gatedState(original, settings),
    ),
    members.patch<Wait>(grpc.Client.prototype, 'waitForReady', (original) => watchedWait(original, settings)),
    ...requestMembers
      .filter((name) => typeof Reflect.get(grpc.Client.prototype, name) === 'function')
      .map((name) =>
        members.patch<MakeRequest>(grpc.Client.prototype, name, (original) =>
          learningRequest(original, settings, name),
        ),
      ),
    guarded(
      'looking for the calls of clients',
      () => noteMessages(grpc, members, settings),
      () => undefined,
    ),
  ];
  return () => {
    for (const undo of undos.reverse()) undo();
  };
}
