import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  type Admission,
  admit,
  BodyTape,
  guarded,
  type OpenCrossing,
  positionReady,
  runInContext,
  wireMode,
} from '@reenact/instrumentation';
import { describeError, type ReenactError } from '@reenact/trace-model';
import { tapIncomingBody } from '../incoming-body-tap.ts';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type MessageBody } from '../message-body.ts';
import { watchAnswer } from './answer.ts';
import { inboundCall, inboundInput } from './inbound-call.ts';
import { inboundContext } from './inbound-context.ts';
import type { InboundSettings } from './inbound-settings.ts';
import { answersJoinQuestion } from './join-question.ts';
import { wholeRequest } from './whole-request.ts';

/** One request as a server is about to hand it to its listeners. */
export interface InboundEvent {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly scheme: 'http' | 'https';
  /** Hands it to the listeners; true where there are any. */
  readonly handle: () => boolean;
}

/** Runs the listeners inside the crossing and watches how the request is answered. */
function run(event: InboundEvent, crossing: OpenCrossing): boolean {
  const { request, response, handle } = event;
  guarded('watching an answer', () => watchAnswer(request, response, crossing), undefined);
  // Their events come from the connection, which knows nothing of the request it carries.
  guarded('binding a request', () => contexts.bind(crossing.context, request), request);
  guarded('binding an answer', () => contexts.bind(crossing.context, response), response);
  try {
    return runInContext(crossing.context, handle);
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

function record(event: InboundEvent, base: Context, settings: InboundSettings): boolean {
  const { request, scheme, handle } = event;
  const admission = guarded<Admission>(
    'admitting an inbound request',
    () => contexts.with(base, () => admit(inboundCall(request, undefined, scheme, settings.capture))),
    { type: 'pass' },
  );
  if (admission.type !== 'run') return handle();
  const { crossing } = admission;
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  const tap = {
    chunk: (bytes: Uint8Array) => tape.keep(bytes, 0),
    ended: () => crossing.completeInput(inboundInput(request, bodyOfTape(tape))),
  };
  guarded('watching an inbound body', () => tapIncomingBody(request, tap), undefined);
  return run(event, crossing);
}

function refuse({ response }: InboundEvent, error: ReenactError): void {
  response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${error.code} ${describeError(error)}\n`);
}

function answer(event: InboundEvent, base: Context, body: MessageBody, settings: InboundSettings): void {
  const { request, scheme, handle } = event;
  const admission = runInContext(base, () => admit(inboundCall(request, body, scheme, settings.capture)));
  switch (admission.type) {
    case 'pass':
      handle();
      break;
    case 'run':
      run(event, admission.crossing);
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
  void wholeRequest(event.request).then(async (body) => {
    await ready;
    // Out of the promise: what a listener throws ends the process, as it does without a replay.
    process.nextTick(() => answer(event, base, body, settings));
  });
  return true;
}

/** A server that hands its requests on by emitting them again, at itself or another, has one run for each all the same. */
const admitted = new WeakSet<IncomingMessage>();

/** Hands a request to its server's listeners as the gate says: each one that is not ignored is a run. */
export function admitInbound(event: InboundEvent, settings: InboundSettings): boolean {
  if (admitted.has(event.request)) return event.handle();
  if (guarded('answering for a replay', () => answersJoinQuestion(event), false)) return true;
  if (settings.ignores(event.request)) return event.handle();
  admitted.add(event.request);
  const base = guarded('reading the context of a request', () => inboundContext(event.request), ROOT_CONTEXT);
  switch (runInContext(base, wireMode)) {
    case 'pass':
      return event.handle();
    case 'record':
      return record(event, base, settings);
    case 'replay':
      return replay(event, base, settings);
  }
}
