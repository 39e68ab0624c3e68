import { STATUS_CODES } from 'node:http';
import { exchangeError } from '@reenact/instrumentation';
import { type Crossing, type Exchange, encodeValue, type Outcome, type Payload } from '@reenact/trace-model';
import { ATTEMPTS_FAILED_MAX } from '../limits.ts';
import type { FailRule, Failure } from '../plan/plan-schema.ts';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody, withAnswerBody } from '../protocols/response-body.ts';
import { chunksOf, impossibleEdit } from './outcome-edit.ts';
import { errorTreeOf, payloadOfTree } from './outcome-payloads.ts';

const plannedError = { class: 'Error', message: 'This failure comes from the plan of the replay.' };

function withCause(error: Error, code: string, message: string): Error {
  return Object.assign(error, { cause: Object.assign(new Error(message), { code }) });
}

/** The error that the platform's client throws when a request fails at this layer. */
function wireError(layer: Exchange['layer'], code: string, message: string): unknown {
  if (layer === 'http') return exchangeError(Object.assign(new Error(message), { code }));
  return exchangeError(withCause(new TypeError('fetch failed'), code, message));
}

function failedRequest(exchange: Exchange, error: unknown): Exchange {
  const { response: _response, error: _error, ...sent } = exchange;
  return { ...sent, error };
}

function statusBody(exchange: Exchange, failure: Extract<Failure, { type: 'status' }>): unknown {
  return failure.body ?? protocolOf(exchange)?.problem(failure.status) ?? { error: STATUS_CODES[failure.status] };
}

function answeredWith(exchange: Exchange, failure: Extract<Failure, { type: 'status' }>): Exchange {
  const { response } = exchange;
  const body = statusBody(exchange, failure);
  const isText = typeof body === 'string';
  const afterUs = response?.headersAfterUs ?? 0;
  const given = Object.entries(failure.headers ?? {});
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
  const { error: _error, ...sent } = exchange;
  return {
    ...sent,
    response: {
      status: failure.status,
      statusText: STATUS_CODES[failure.status] ?? '',
      url: response?.url ?? exchange.request.url,
      headers: [
        ...(hasType
          ? []
          : [['content-type', isText ? 'text/plain; charset=utf-8' : 'application/json'] as [string, string]]),
        ...given,
      ],
      headersAfterUs: afterUs,
      chunks: [[afterUs, isText ? body : JSON.stringify(body)]],
      end: 'complete',
      endAfterUs: afterUs,
      hasBody: true,
      ...(exchange.layer === 'http' ? { httpVersion: '1.1' } : {}),
    },
  };
}

/** The beginning of a stream, and then the connection that broke. */
function truncated(recorded: Crossing, exchange: Exchange, afterChunks: number, text: string): Exchange {
  const body = answerBody(exchange);
  const { response } = exchange;
  if (body?.type !== 'events' || response === undefined) {
    throw impossibleEdit(recorded, text, 'its answer is no stream of events', 'Use status, timeout or error.');
  }
  const events = body.blocks.filter(({ data }) => data !== undefined);
  const missing = events[afterChunks];
  if (missing === undefined) {
    throw impossibleEdit(recorded, text, `its stream has only ${events.length} events`, 'Name a smaller number.');
  }
  const cutAt = body.blocks.indexOf(missing);
  const cut = withAnswerBody(exchange, { type: 'events', blocks: body.blocks.slice(0, cutAt) });
  const atUs = cut.response?.chunks.at(-1)?.[0] ?? response.headersAfterUs;
  const broken = withCause(new TypeError('terminated'), 'UND_ERR_SOCKET', 'other side closed');
  return {
    ...cut,
    response: { ...(cut.response ?? response), end: 'failed', endAfterUs: atUs },
    error:
      exchange.layer === 'http'
        ? exchangeError(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
        : exchangeError(broken),
  };
}

function failedExchange(recorded: Crossing, exchange: Exchange, failure: Failure): Exchange {
  switch (failure.type) {
    case 'status':
      return answeredWith(exchange, failure);
    case 'timeout':
      return failedRequest(exchange, wireError(exchange.layer, 'ETIMEDOUT', 'connection timed out'));
    case 'error':
      return failedRequest(
        exchange,
        failure.error === undefined
          ? wireError(exchange.layer, 'ECONNRESET', 'read ECONNRESET')
          : errorTreeOf(failure.error, plannedError),
      );
    case 'truncate':
      return truncated(recorded, exchange, failure.afterChunks, 'truncate');
  }
}

function exchangeOutcome(exchange: Exchange | undefined): Outcome {
  if (exchange?.response === undefined) return { type: 'threw', error: payloadOfTree(exchange?.error ?? null) };
  if (exchange.response.end === 'failed') return { type: 'failed', chunks: [] };
  return { type: 'returned' };
}

/**
 * Whether nothing asks again within the crossing: a request without a client library around it, and a function that gave a response, of
 * whose request nothing is known. A client library always sends headers.
 */
function isAskedOnce({ kind, sdk }: Crossing, { request }: Exchange): boolean {
  return sdk === undefined && (kind === 'http' || (request.headers.length === 0 && request.body === undefined));
}

/** As many failing attempts as a client may make, or the given number and then what was recorded. */
function failedExchanges(recorded: Crossing, { with: failure, attempts }: FailRule): Exchange[] {
  const template = recorded.exchanges.at(-1);
  if (template === undefined) {
    throw impossibleEdit(
      recorded,
      failure.type,
      'its wire exchanges were not recorded',
      'Let it run live with --live.',
    );
  }
  if (template.layer === 'grpc') {
    throw impossibleEdit(
      recorded,
      failure.type,
      'failures of gRPC calls cannot be made up yet',
      'Let it run live with --live.',
    );
  }
  const isSingle = isAskedOnce(recorded, template);
  if (isSingle && attempts !== undefined) {
    throw impossibleEdit(
      recorded,
      'attempts',
      'each attempt of it is a crossing of its own',
      'Leave attempts out, and name the attempt with #n.',
    );
  }
  const count = failure.type === 'truncate' || isSingle ? 1 : (attempts ?? ATTEMPTS_FAILED_MAX);
  const failed = Array.from({ length: count }, (_, attempt) => ({
    ...failedExchange(recorded, template, failure),
    attempt,
  }));
  const after =
    attempts === undefined
      ? []
      : recorded.exchanges.map((exchange) => ({ ...exchange, attempt: exchange.attempt + count }));
  return [...failed, ...after];
}

function failedAsExchange(recorded: Crossing, rule: FailRule): Crossing {
  const exchanges = failedExchanges(recorded, rule);
  const outcome = rule.attempts === undefined ? exchangeOutcome(exchanges.at(-1)) : recorded.outcome;
  return { ...recorded, exchanges, outcome };
}

function thrownPayload(failure: Extract<Failure, { type: 'error' | 'timeout' }>): Payload {
  if (failure.type === 'error') return payloadOfTree(errorTreeOf(failure.error, plannedError));
  // What AbortSignal.timeout gives, the platform's own way of saying it.
  return encodeValue(new DOMException('The operation was aborted due to timeout', 'TimeoutError')).payload;
}

function failedValue(recorded: Crossing, failure: Failure): Outcome {
  switch (failure.type) {
    case 'status':
      throw impossibleEdit(
        recorded,
        `status=${failure.status}`,
        'it is no wire exchange',
        `Give the error its code throws: error={"message":"…","status":${failure.status}}.`,
      );
    case 'error':
    case 'timeout': {
      const error = thrownPayload(failure);
      const isStream =
        recorded.call === 'async-iterator' ||
        recorded.call === 'async-iterable' ||
        recorded.call === 'iterator' ||
        recorded.call === 'iterable';
      return isStream ? { type: 'failed', chunks: [], error } : { type: 'threw', error };
    }
    case 'truncate': {
      const chunks = chunksOf(recorded, 'truncate');
      if (failure.afterChunks >= chunks.length) {
        throw impossibleEdit(
          recorded,
          'truncate',
          `its stream has only ${chunks.length} chunks`,
          'Name a smaller number.',
        );
      }
      const error = payloadOfTree(
        errorTreeOf(undefined, { class: 'Error', message: 'The stream broke off: the plan of the replay cut it.' }),
      );
      return { type: 'failed', chunks: chunks.slice(0, failure.afterChunks), error };
    }
  }
}

/** The crossing as it fails by a rule of the plan. Throws ReenactError `bad-plan` where it cannot fail in that way. */
export function failedCrossing(recorded: Crossing, rule: FailRule): Crossing {
  if (recorded.call === 'exchange') return failedAsExchange(recorded, rule);
  if (rule.attempts !== undefined) {
    throw impossibleEdit(recorded, 'attempts', 'it is no wire exchange, so it has no attempts', 'Leave attempts out.');
  }
  return { ...recorded, outcome: failedValue(recorded, rule.with) };
}
