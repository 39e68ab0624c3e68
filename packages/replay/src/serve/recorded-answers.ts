import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '@reenact/instrumentation';
import { recordedTimeline } from '@reenact/recordings';
import {
  CANONICAL_POLICIES,
  type Crossing,
  canonicalJson,
  canonicalPolicy,
  digestOf,
  isTree,
  payloadOf,
  semconvMember,
} from '@reenact/trace-model';
import { RecordedPlayer } from '../player/recorded-player.ts';
import type { CrossingNote } from '../report/gathered-notes.ts';
import { makePlan } from '../resolution/plan.ts';
import { CompletionOrder } from './completion-order.ts';
import { OpenCalls, type ServedCall } from './open-calls.ts';
import { type SendTimes, sendAnswer, sendExchange } from './send-answer.ts';
import type { ServedBoundary, ServeProtocol } from './serve-protocol.ts';
import type { ServeSink } from './serve-sink.ts';
import type { ServedView } from './served-view.ts';

/** One request whose body has been read. */
export interface ReadRequest {
  readonly message: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly text: string;
}

/** What answers are made from. */
export interface RecordedAnswersOptions {
  readonly view: ServedView;
  /** The first answers what none of them knows. */
  readonly protocols: readonly [ServeProtocol, ...ServeProtocol[]];
  readonly sink: ServeSink;
  readonly replayId: string;
}

/** Members of a request that say nothing about the answer, and may differ unseen. */
const volatile: ReadonlySet<string> = new Set(CANONICAL_POLICIES.modelRequest.volatile);

function retryCountOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['x-stainless-retry-count'];
  const count = Number(text);
  return typeof text === 'string' && Number.isInteger(count) && count >= 0 ? count : undefined;
}

function parsed(text: string): { readonly tree: unknown } | undefined {
  try {
    return { tree: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Answers requests from a recording through the same player as a replay inside the agent's process. */
export class RecordedAnswers {
  private readonly options: RecordedAnswersOptions;
  private readonly player: RecordedPlayer;
  private readonly order: CompletionOrder;
  private readonly calls = new OpenCalls();
  private readonly notCompared = new Set<string>();

  constructor(options: RecordedAnswersOptions) {
    const { view, sink, replayId } = options;
    const { recording, root, served } = view;
    const rootSpanId = root.spanId;
    this.options = options;
    this.player = new RecordedPlayer({
      recording,
      rootSpanId,
      plan: makePlan({}, recording, rootSpanId),
      replayId,
      process: 'dedicated',
      sink,
    });
    this.order = new CompletionOrder(served, recordedTimeline(root, served));
  }

  /** What is left to say once no more requests come. */
  closingNotes(): (string | CrossingNote)[] {
    const fields = [...this.notCompared].sort();
    const unfinished = this.calls.unfinished().map(({ answer, attempts }) => {
      const { path, exchanges } = answer.recorded;
      const text = `${path} was recorded with ${exchanges.length} attempts, and the client made ${attempts}.`;
      return { text, path };
    });
    const missing =
      fields.length === 0 ? [] : [`Not compared, because the recording does not hold them: ${fields.join(', ')}.`];
    return [...missing, ...unfinished];
  }

  /** Answers one request. Rejects only for a failure of our own. */
  async answer(request: ReadRequest, response: ServerResponse): Promise<void> {
    const { protocols, view } = this.options;
    for (const protocol of protocols) {
      const plain = protocol.plainAnswer(request, view.served);
      if (plain !== undefined) return sendAnswer(response, plain);
      const boundary = protocol.boundaryOf(request);
      if (boundary !== undefined) return this.answerCall(request, boundary, protocol, response);
    }
    return this.answerOther(request, response);
  }

  private note(text: string, unverified: boolean, path?: string): void {
    this.options.sink.write({ type: 'note', text, ...(path === undefined ? {} : { path }), unverified });
  }

  private ask(boundary: Pick<Crossing, 'kind' | 'name'>, input: string): Answer {
    // What an earlier request differed in must not be told as the reason why this one is refused.
    this.options.sink.takeLatest();
    return this.player.answer({
      boundary: {
        ...boundary,
        effect: 'read',
        capture: 'full',
        policy: CANONICAL_POLICIES.modelRequest,
      },
      input: { payload: payloadOf('json', input), lossy: [] },
      toolCallId: undefined,
      position: undefined,
      source: undefined,
    });
  }

  /** An address that no model call goes to was never recorded, and the report has it like any other call. */
  private answerOther({ method, path }: ReadRequest, response: ServerResponse): Promise<void> {
    const input = JSON.stringify({ method, path });
    const answer = this.ask({ kind: 'http', name: `${method} ${path}` }, input);
    return this.refuse(answer, this.options.protocols[0], response);
  }

  private answerCall(
    { message, text, path }: ReadRequest,
    boundary: ServedBoundary,
    protocol: ServeProtocol,
    response: ServerResponse,
  ): Promise<void> {
    const body = parsed(text);
    if (body === undefined) {
      this.note(`A request to ${path} was refused: its body is not JSON.`, true);
      const problem = { status: 400, code: 'reenact_bad_request', message: 'The body of the request is not JSON.' };
      return sendAnswer(response, protocol.problem(problem));
    }
    const { tree } = body;
    const key = `${boundary.name} ${digestOf(canonicalJson(tree))}`;
    const open = this.calls.find(key, retryCountOf(message));
    if (open !== undefined) return this.serve(open, tree, protocol, response);
    const answer = this.ask(boundary, text);
    if (answer.type !== 'stub') return this.refuse(answer, protocol, response);
    this.noteUncompared(answer.recorded, tree);
    return this.serve(this.calls.add(key, answer), tree, protocol, response);
  }

  private refuse(answer: Answer, protocol: ServeProtocol, response: ServerResponse): Promise<void> {
    const kind = this.options.sink.takeLatest() ?? 'refused';
    const message = answer.type === 'refuse' ? answer.error.message : 'Nothing runs for real behind this address.';
    return sendAnswer(
      response,
      protocol.problem({ status: 404, code: `reenact_${kind.replaceAll('-', '_')}`, message }),
    );
  }

  private noteUncompared({ canonicalPolicy: name, reconstructed }: Crossing, tree: unknown): void {
    const fields = canonicalPolicy(name)?.fields;
    if (reconstructed !== true || fields === undefined || !isTree(tree)) return;
    for (const member of Object.keys(tree)) {
      const isCompared =
        fields.includes(semconvMember(member)) || (member === 'tools' && fields.includes('tool_names'));
      if (!volatile.has(member) && !isCompared) this.notCompared.add(member);
    }
  }

  private times({ answer, attempts }: ServedCall): SendTimes {
    const { recorded, release } = answer;
    const exchange = recorded.exchanges[attempts];
    const startedAfterUs =
      exchange === undefined
        ? 0
        : Math.max(0, Number((BigInt(exchange.startedAtUnixNano) - recorded.startTimeUnixNano) / 1_000n));
    let turn: Promise<void> | undefined;
    return {
      release,
      startedAfterUs,
      isLast: attempts >= recorded.exchanges.length - 1,
      turn: () => {
        turn ??= this.turnOf(recorded);
        return turn;
      },
    };
  }

  private async turnOf(recorded: Crossing): Promise<void> {
    if (await this.order.turnOf(recorded)) return;
    const { path } = recorded;
    this.note(`${path} was answered before calls that were recorded to end first and did not come.`, false, path);
  }

  private serve(call: ServedCall, tree: unknown, protocol: ServeProtocol, response: ServerResponse): Promise<void> {
    const { recorded } = call.answer;
    const times = this.times(call);
    if (times.isLast) response.once('close', () => this.order.ended(recorded));
    const exchange = recorded.exchanges[call.attempts];
    if (exchange !== undefined) {
      call.attempts += 1;
      return sendExchange(response, exchange, times);
    }
    if (recorded.reconstructed === true) return sendAnswer(response, protocol.rebuild(recorded, tree), times);
    // A call that had not ended when its process stopped is left waiting, as it was.
    if (recorded.outcome.type === 'pending') return Promise.resolve();
    return this.beyond(call, protocol, response);
  }

  private beyond({ answer, attempts }: ServedCall, protocol: ServeProtocol, response: ServerResponse): Promise<void> {
    const { message } = answer.exhausted(`the client made attempt ${attempts + 1}, and ${attempts} were recorded`);
    this.options.sink.takeLatest();
    return sendAnswer(response, protocol.problem({ status: 404, code: 'reenact_exhausted', message }));
  }
}
