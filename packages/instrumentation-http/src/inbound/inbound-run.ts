import { type Context, context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  asDelivery,
  BodyTape,
  guarded,
  type OpenCrossing,
  positionReady,
  runInContext,
  wireMode,
} from '@reenact/instrumentation';
import { describeError, payloadTree, type ReenactError } from '@reenact/trace-model';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape } from '../message-body.ts';
import { inboundCall, inboundInput } from './inbound-call.ts';
import type { InboundEvent } from './inbound-event.ts';
import type { InboundSettings } from './inbound-settings.ts';
import { answersJoinQuestion } from './join-question.ts';
import { requestContext } from './request-context.ts';
import type { WholeBody } from './whole-body.ts';

type Running = Extract<Admission, { type: 'run' }>;

/**
 * Has the client of a replayed request go away when it was recorded to. By a timer of the run: those fire in the order of recorded
 * time, and one of whoever asks again, who waits for real, would come long after the answer.
 */
function leaveAsRecorded({ leave }: InboundEvent, { context }: OpenCrossing, leftAfterMs: number): void {
  const left = asDelivery(() => guarded('leaving as the client did', leave, undefined), leftAfterMs * 1_000);
  guarded(
    'leaving as the client did',
    () => runInContext(context, () => setTimeout(left, leftAfterMs).unref()),
    undefined,
  );
}

/** Runs the listeners inside the crossing and watches how the request is answered; `abandoned` comes before the end as aborted. */
function run(event: InboundEvent, { crossing, leftAfterMs }: Running, abandoned: () => void): boolean {
  const watch = (): boolean => {
    event.watchAnswer(crossing, abandoned);
    return true;
  };
  // Nobody would ever end it.
  if (!guarded('watching an answer', watch, false)) crossing.settle({ type: 'aborted', chunks: [] });
  if (leftAfterMs !== undefined) leaveAsRecorded(event, crossing, leftAfterMs);
  // Their events come from the connection, which knows nothing of the request it carries.
  for (const emitter of event.emitters) {
    guarded('binding a request', () => contexts.bind(crossing.context, emitter), emitter);
  }
  try {
    return runInContext(crossing.context, event.handle);
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

function record(event: InboundEvent, base: Context, { capture }: InboundSettings): boolean {
  const { head, handle } = event;
  const admission = guarded<Admission>(
    'admitting an inbound request',
    () => contexts.with(base, () => admit(inboundCall(head, undefined, capture))),
    { type: 'pass' },
  );
  if (admission.type !== 'run') return handle();
  const { crossing } = admission;
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  let isWhole = false;
  const tap = {
    chunk: (bytes: Uint8Array) => tape.keep(bytes, 0),
    ended: () => {
      isWhole = true;
      crossing.completeInput(inboundInput(head, bodyOfTape(tape)));
    },
  };
  const cut = (): void => crossing.completeInput({ ...inboundInput(head, bodyOfTape(tape)), isOpen: true });
  guarded('watching an inbound body', () => event.watchBody(tap), undefined);
  return run(event, admission, () => {
    if (!isWhole) guarded('recording what was sent of a body', cut, undefined);
  });
}

function refuse({ respond }: InboundEvent, error: ReenactError): void {
  respond(500, { 'content-type': 'text/plain; charset=utf-8' }, `${error.code} ${describeError(error)}\n`);
}

function wasCut({ entered }: Running): boolean {
  const tree: unknown = entered?.input?.data === undefined ? undefined : payloadTree(entered.input);
  return typeof tree === 'object' && tree !== null && Reflect.get(tree, 'isOpen') === true;
}

function answer(event: InboundEvent, base: Context, { body, end }: WholeBody, { capture }: InboundSettings): void {
  const { head, handle } = event;
  const admission = runInContext(base, () => admit(inboundCall(head, body, capture)));
  const isCut = admission.type === 'run' && wasCut(admission);
  if (!isCut) end();
  switch (admission.type) {
    case 'pass':
      handle();
      break;
    case 'run':
      run(event, admission, () => undefined);
      break;
    case 'refuse':
      refuse(event, admission.error);
      break;
    case 'stub': {
      const error = admission.exhausted('A request to this process is answered by its code, not from the recording.');
      admission.crossing.settle({ type: 'threw', error });
      refuse(event, error);
      break;
    }
  }
}

/** A request is looked up when all of it has arrived, so that its body is compared like its path. */
function replay(event: InboundEvent, base: Context, settings: InboundSettings): boolean {
  const ready = positionReady(base);
  void event.wholeBody().then(async (body) => {
    await ready;
    // Out of the promise: what a listener throws ends the process, as it does without a replay.
    process.nextTick(() => answer(event, base, body, settings));
  });
  return true;
}

/** What carries a request that was admitted: handed on by emitting it again, at the same server or another, it has one run all the same. */
const admitted = new WeakSet<object>();

/** Hands a request to its server's listeners as the gate says: each one that is not ignored is a run. */
export function admitInbound(event: InboundEvent, settings: InboundSettings): boolean {
  const { carrier, head, handle } = event;
  if (admitted.has(carrier)) return handle();
  if (guarded('answering for a replay', () => answersJoinQuestion(event), false)) return true;
  if (settings.ignores(head)) return handle();
  admitted.add(carrier);
  const base = guarded('reading the context of a request', () => requestContext(head), ROOT_CONTEXT);
  switch (runInContext(base, wireMode)) {
    case 'pass':
      return handle();
    case 'record':
      return record(event, base, settings);
    case 'replay':
      return replay(event, base, settings);
  }
}
