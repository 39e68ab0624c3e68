import {
  admitDescribed,
  type GateCall,
  guarded,
  listOf,
  type Members,
  membersOf,
  type OpenCrossing,
  runInContext,
  spanView,
  stringOf,
} from '@reenact/instrumentation';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { callOptions, type ResolveModel } from './call-options.ts';
import type { ForeignFunction, WrapScope } from './internal-types.ts';
import { plainInput } from './plain-input.ts';

/** An agent of the SDK, by the members this package relies on. */
interface Agent extends Members {
  readonly id?: string;
  readonly settings: Members;
  prepareCall: ForeignFunction;
}

const droppedAnswers = new FinalizationRegistry<OpenCrossing>((crossing) => crossing.abandon());

function gateCallOf(agent: Agent, options: unknown, { capture, sdk }: WrapScope): GateCall {
  const name = stringOf(agent.id) ?? agent.constructor.name;
  const { prompt, messages, options: callOptionsOfAgent } = membersOf(options);
  return {
    boundary: {
      kind: 'agent',
      name,
      effect: 'write',
      capture,
      policy: CANONICAL_POLICIES.arguments,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: [plainInput({ prompt, messages, options: callOptionsOfAgent })],
    call: 'promise',
    span: spanView({ kind: 'agent', name }),
  };
}

/** What of an agent's answer is compared: what it said last, why it stopped, in how many steps. */
function summaryOf(answer: unknown): Members {
  const { text, finishReason, steps } = membersOf(answer);
  return { text, finishReason, stepCount: listOf(steps).length };
}

/** The same agent, whose calls get their model and tools wrapped; its own settings stay untouched. */
function coveredAgent(agent: Agent, settings: Members, scope: WrapScope, resolve: ResolveModel): Agent {
  return Object.create(agent, {
    settings: { value: settings },
    prepareCall: {
      value: async (...parameters: unknown[]): Promise<unknown> =>
        callOptions(await Reflect.apply(agent.prepareCall, agent, parameters), scope, resolve),
    },
  }) as Agent;
}

type Told = (event: unknown) => void;

/** A callback of the host's, with ours before it. */
function after(told: Told, theirs: unknown): ForeignFunction {
  return function callback(this: unknown, ...parameters: unknown[]): unknown {
    guarded('settling an agent', () => told(parameters[0]), undefined);
    return typeof theirs === 'function' ? Reflect.apply(theirs, this, parameters) : undefined;
  };
}

/** A streamed answer is over when the SDK calls back; only the callbacks know, for reading the answer would start it. */
function streamSettings(settings: Members, crossing: OpenCrossing): Members {
  // What the SDK does with an error that nobody asked to be told about.
  const printed = (event: unknown): void => console.error(membersOf(event).error);
  return {
    ...settings,
    onEnd: after((event) => crossing.settle({ type: 'returned', value: summaryOf(event) }), settings.onEnd),
    onAbort: after(() => crossing.settle({ type: 'aborted', chunks: [] }), settings.onAbort),
    onError: after(
      (event) => crossing.settle({ type: 'threw', error: membersOf(event).error }),
      settings.onError ?? printed,
    ),
  };
}

interface AgentCall {
  readonly agent: Agent;
  readonly original: ForeignFunction;
  readonly parameters: readonly unknown[];
  readonly scope: WrapScope;
  readonly resolve: ResolveModel;
}

function proceed({ agent, original, parameters, scope, resolve }: AgentCall, settings: Members): Promise<unknown> {
  const covered = coveredAgent(agent, settings, scope, resolve);
  return Reflect.apply(original, covered, parameters as unknown[]) as Promise<unknown>;
}

async function runGenerate(call: AgentCall, crossing: OpenCrossing): Promise<unknown> {
  try {
    const answer = await runInContext(crossing.context, () => proceed(call, call.agent.settings));
    const summary = guarded('describing an agent', () => summaryOf(answer), {});
    crossing.settle({ type: 'returned', value: summary });
    return answer;
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

async function runStream(call: AgentCall, crossing: OpenCrossing): Promise<unknown> {
  const settings = streamSettings(call.agent.settings, crossing);
  try {
    const answer = await runInContext(crossing.context, () => proceed(call, settings));
    if (typeof answer === 'object' && answer !== null) droppedAnswers.register(answer, crossing);
    return answer;
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

/** `generate` or `stream` of an agent class: each call is a crossing whose code runs again in a replay. */
export function gatedAgentMethod(
  original: ForeignFunction,
  method: 'generate' | 'stream',
  scope: WrapScope,
  resolve: ResolveModel,
): ForeignFunction {
  return async function agentMethod(this: unknown, ...parameters: unknown[]): Promise<unknown> {
    const agent = this as Agent;
    if (!scope.isActive()) return Reflect.apply(original, agent, parameters);
    const call = { agent, original, parameters, scope, resolve };
    const admission = admitDescribed('an agent', () => scope.admit(gateCallOf(agent, parameters[0], scope)));
    switch (admission.type) {
      case 'pass':
        return proceed(call, agent.settings);
      case 'run':
        return method === 'generate' ? runGenerate(call, admission.crossing) : runStream(call, admission.crossing);
      case 'stub': {
        // Never, where the replay is over and the process is about to be stopped.
        await admission.release.settle();
        const error = admission.exhausted('An agent of the AI SDK runs again; its answer is kept for comparison only.');
        admission.crossing.settle({ type: 'threw', error });
        throw error;
      }
      case 'refuse':
        throw admission.error;
    }
  };
}
