import { context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  definedAttributes,
  type GateCall,
  guarded,
  type OpenCrossing,
  positionReady,
  runInContext,
  wireMode,
} from '@reenact/instrumentation';
import { ATTR_RPC_METHOD, ATTR_RPC_SYSTEM_NAME, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import { CANONICAL_POLICIES, chunkBytes, urlPlace } from '@reenact/trace-model';
import { metadataPairs } from '../metadata-pairs.ts';
import { messagesOfMethod } from '../names/learned-methods.ts';
import { patchMember } from '../patch-member.ts';
import { keptMetadata, MessageTape, methodName, type RpcInput, targetUrl } from '../rpc-call.ts';
import type { RpcSettings } from '../rpc-settings.ts';
import { REFUSED_STATUS_CODE } from '../status-name.ts';
import { callContext } from './call-context.ts';
import { type EnteredCall, enteredCallOf } from './entered-call.ts';
import { leaveAsRecorded } from './leave-as-recorded.ts';
import { gatherMessages, type HandOn } from './messages-as-recorded.ts';
import { watchedCallback, watchStream } from './rpc-answer.ts';
import type { Handler, HandlerType, SendUnary, ServerCall } from './server-call.ts';

/** One registered method. */
export interface InboundMethod {
  readonly path: string;
  readonly type: HandlerType;
  /** The bytes a message was made from; undefined for a message that is no object. */
  readonly bytesOf: (message: unknown) => Uint8Array | undefined;
  /** The message of its bytes. */
  readonly parse: (bytes: Buffer) => unknown;
}

/** One call as a server is about to hand it to its handler. */
interface InboundEvent {
  readonly method: InboundMethod;
  readonly call: ServerCall;
  readonly callback: SendUnary | undefined;
  readonly handle: (callback: SendUnary | undefined) => void;
}

type Running = Extract<Admission, { type: 'run' }>;

function isStreamed({ type }: InboundMethod): boolean {
  return type === 'clientStream' || type === 'bidi';
}

function messagesOf({ method, call }: InboundEvent): MessageTape {
  const tape = new MessageTape(messagesOfMethod(method.path).request);
  const bytes = method.bytesOf(call.request);
  if (bytes !== undefined) tape.keep(bytes, 0);
  return tape;
}

function deadlineOf(call: ServerCall): Pick<RpcInput, 'deadlineUnixMs'> {
  const deadlineUnixMs = Number(call.getDeadline?.());
  return Number.isFinite(deadlineUnixMs) ? { deadlineUnixMs } : {};
}

function inputOf({ method, call }: InboundEvent, rest: Partial<RpcInput>): RpcInput {
  return { method: method.path, ...rest, metadata: keptMetadata(metadataPairs(call.metadata)), ...deadlineOf(call) };
}

/** The message as its handler gets it. Where its bytes had secrets it is read out of what is kept of them: names may be lost in it. */
function argumentOf({ method, call }: InboundEvent, { redacted, chunks }: MessageTape): unknown {
  const [chunk] = chunks;
  if (redacted.length === 0) return call.request;
  const parse = (): unknown => (chunk === undefined ? undefined : method.parse(Buffer.from(chunkBytes(chunk))));
  return guarded('reading a message without its secrets', parse, undefined);
}

function gateCall(event: InboundEvent, { capture }: RpcSettings): GateCall {
  const { method, call } = event;
  const name = methodName(method.path);
  const host = targetUrl(call.getHost?.() ?? '');
  const { rpcEntry, rpcStream } = CANONICAL_POLICIES;
  const tape = isStreamed(method) ? undefined : messagesOf(event);
  const argument = tape === undefined ? call.request : argumentOf(event, tape);
  return {
    boundary: { kind: 'agent', name, effect: 'write', capture, policy: isStreamed(method) ? rpcStream : rpcEntry },
    input: inputOf(event, {
      ...(tape === undefined ? {} : { messages: tape.messages }),
      ...(argument === undefined ? {} : { argument }),
    }),
    ...(tape === undefined ? {} : { redacted: tape.redacted }),
    call: 'promise',
    span: {
      name,
      kind: 'server',
      slim: definedAttributes({
        [ATTR_RPC_SYSTEM_NAME]: 'grpc',
        [ATTR_RPC_METHOD]: name,
        [ATTR_SERVER_ADDRESS]: host === undefined ? undefined : urlPlace(host).host,
        [ATTR_SERVER_PORT]: host === undefined || host.port === '' ? undefined : Number(host.port),
      }),
    },
  };
}

/**
 * The messages of a streamed request become known as they arrive, at the latest when the caller has ended it. Gives what is to be done
 * before the call is over: its caller may not have ended it by then.
 */
function watchRequest(event: InboundEvent, crossing: OpenCrossing): () => void {
  const tape = new MessageTape(messagesOfMethod(event.method.path).request);
  let hasEnded = false;
  const complete = (end: Pick<RpcInput, 'endedAfterUs' | 'isOpen'>): void => {
    if (hasEnded) return;
    hasEnded = true;
    crossing.completeInput(inputOf(event, { messages: tape.timedMessages, ...end }), tape.redacted);
  };
  patchMember(event.call, 'push', (message) => {
    if (message === null) return complete({ endedAfterUs: crossing.elapsedUs() });
    const bytes = event.method.bytesOf(message);
    if (bytes === undefined) crossing.markLossy('/input/messages unreadable');
    else tape.keep(bytes, crossing.elapsedUs());
  });
  return () => guarded('completing a request', () => complete({ isOpen: true }), undefined);
}

/** Watches how the call is asked and answered. Gives what is to be done before it is over. */
function watch({ crossing }: Running, event: InboundEvent): () => void {
  const { method, call, callback } = event;
  const ending = isStreamed(method) ? watchRequest(event, crossing) : () => undefined;
  if (callback === undefined) watchStream(call, crossing, ending);
  call.once('cancelled', () => {
    ending();
    crossing.settle({ type: 'aborted', chunks: [] });
  });
  // Its events come from the connection, which knows nothing of the call it carries.
  contexts.bind(crossing.context, call);
  return ending;
}

/** Has a call that is made again be what the recorded one was, beside what was sent. */
function enter(
  { call }: InboundEvent,
  { leftAfterMs }: Running,
  entered: EnteredCall,
  handOn: HandOn | undefined,
): void {
  const { deadlineUnixMs } = entered;
  if (deadlineUnixMs !== undefined) call.getDeadline = () => deadlineUnixMs;
  handOn?.(entered);
  if (leftAfterMs !== undefined) leaveAsRecorded(call, leftAfterMs);
}

/** Runs the handler inside the crossing and watches how the call is answered. */
function run(event: InboundEvent, running: Running, handOn?: HandOn): void {
  const { crossing, entered } = running;
  const { callback } = event;
  const ending = guarded(
    'watching a call',
    () => watch(running, event),
    () => undefined,
  );
  if (entered !== undefined) {
    const again = (): void =>
      runInContext(crossing.context, () => enter(event, running, enteredCallOf(entered), handOn));
    guarded('entering a recorded call', again, undefined);
  }
  const watched = callback === undefined ? undefined : watchedCallback(callback, crossing, ending);
  try {
    runInContext(crossing.context, () => event.handle(watched));
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

function refuse({ call, callback }: InboundEvent, error: Error): void {
  const failure = Object.assign(new Error(error.message), { code: REFUSED_STATUS_CODE, details: error.message });
  if (callback === undefined) call.emit('error', failure);
  else callback(failure);
}

/** In a replay: the call that enters the run again gets all of its messages first, and hands them on when they came. */
function runEntered(event: InboundEvent, running: Running): void {
  const gathered = running.entered === undefined || !isStreamed(event.method) ? undefined : gatherMessages(event.call);
  if (gathered === undefined) run(event, running);
  // Out of the promise: what a handler throws ends the process, as it does without a replay.
  else void gathered.then((handOn) => process.nextTick(() => run(event, running, handOn)));
}

function answer(event: InboundEvent, settings: RpcSettings): void {
  const admission = admit(gateCall(event, settings));
  switch (admission.type) {
    case 'pass':
      event.handle(event.callback);
      break;
    case 'run':
      runEntered(event, admission);
      break;
    case 'refuse':
      refuse(event, admission.error);
      break;
    case 'stub': {
      const error = admission.exhausted('A call to this process is answered by its code, not from the recording.');
      admission.crossing.settle({ type: 'threw', error });
      refuse(event, error);
      break;
    }
  }
}

function record(event: InboundEvent, settings: RpcSettings): void {
  const admission = guarded<Admission>('admitting an inbound call', () => admit(gateCall(event, settings)), {
    type: 'pass',
  });
  if (admission.type === 'run') run(event, admission);
  else event.handle(event.callback);
}

/** A handler as the gate sees it: each call that is not ignored is a run. */
export function gatedHandler(original: Handler, method: InboundMethod, settings: RpcSettings): Handler {
  return function handler(call, callback) {
    const handle = (given: SendUnary | undefined): void => Reflect.apply(original, this, [call, given]);
    if (!settings.isActive() || settings.ignores('inbound', method.path)) return handle(callback);
    const event = { method, call, callback, handle };
    const base = guarded('reading the context of a call', () => callContext(call.metadata), ROOT_CONTEXT);
    switch (runInContext(base, wireMode)) {
      case 'pass':
        return handle(callback);
      case 'record':
        return runInContext(base, () => record(event, settings));
      case 'replay': {
        const ready = positionReady(base);
        if (ready === undefined) return runInContext(base, () => answer(event, settings));
        // Out of the promise: what a handler throws ends the process, as it does without a replay.
        void ready.then(() => process.nextTick(() => runInContext(base, () => answer(event, settings))));
      }
    }
  };
}
