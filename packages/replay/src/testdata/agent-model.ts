import { type CrossingPlan } from '@reenact/recordings/testing';
import type { Arrival, Player, Position } from '@reenact/instrumentation';
import { type BoundaryKind, CANONICAL_POLICIES, decodeValue, defaultEffect, encodeValue } from '@reenact/trace-model';

/** One call an agent makes: its own input and output, and the calls its code makes in turn. */
export interface AgentCall {
  readonly label: `${BoundaryKind}:${string}`;
  readonly input: unknown;
  readonly output: unknown;
  /** Whether the calls inside start together; else each waits for the one before. */
  readonly isParallel: boolean;
  /** How long the call itself takes, beside what is inside it. */
  readonly tookUs: number;
  readonly children: readonly AgentCall[];
}


interface Timed {
  readonly call: AgentCall;
  readonly startUs: number;
  readonly endUs: number;
  readonly children: readonly Timed[];
}

function timed(call: AgentCall, startUs: number): Timed {
  let nowUs = startUs + 1;
  const children: Timed[] = [];
  for (const child of call.children) {
    const made = timed(child, call.isParallel ? startUs + 1 : nowUs);
    children.push(made);
    nowUs = Math.max(nowUs, made.endUs + 1);
  }
  return { call, startUs, endUs: nowUs + call.tookUs, children };
}

function flat(node: Timed): Timed[] {
  return [node, ...node.children.flatMap(flat)];
}

function planOf(node: Timed, settled: Map<Timed, number>): CrossingPlan {
  const { label, input, output } = node.call;
  return {
    label,
    input,
    output,
    startUs: node.startUs,
    endUs: node.endUs,
    settled: settled.get(node) ?? 0,
    children: node.children.map((child) => planOf(child, settled)),
  };
}

/** What recording this agent gives: times as its sequential and parallel calls have them. */
export function recordedPlan(agent: AgentCall): CrossingPlan {
  const root = timed(agent, 0);
  const byEnd = flat(root).sort((left, right) => left.endUs - right.endUs);
  return planOf(root, new Map(byEnd.map((node, index) => [node, index])));
}

/** What the agent saw while it ran. */
export interface AgentLog {
  /** Calls that got another output than the agent model says. */
  readonly wrong: string[];
  readonly refused: string[];
  /** Outputs in the order in which they reached the agent. */
  readonly completed: unknown[];
}

/** An arrival at the gate. */
export function arrivalOf(call: Pick<AgentCall, 'label' | 'input'>, position: Position | undefined): Arrival {
  const [kind = '', ...name] = call.label.split(':');
  return {
    boundary: {
      kind: kind as BoundaryKind,
      name: name.join(':'),
      effect: defaultEffect(kind as BoundaryKind),
      capture: 'full',
      policy: CANONICAL_POLICIES.arguments,
    },
    input: encodeValue(call.input),
    toolCallId: undefined,
    position,
    source: undefined,
  };
}

async function runChildren(call: AgentCall, position: Position, log: AgentLog): Promise<void> {
  if (call.isParallel) await Promise.all(call.children.map((child) => runCall(child, position, log)));
  else for (const child of call.children) await runCall(child, position, log);
}

async function runCall(call: AgentCall, position: Position, log: AgentLog): Promise<void> {
  const answer = position.player.answer(arrivalOf(call, position));
  switch (answer.type) {
    case 'refuse':
      log.refused.push(call.label);
      return;
    case 'run':
      await runChildren(call, answer.position, log);
      answer.settled({ type: 'returned', value: encodeValue(call.output) }, []);
      return;
    case 'stub': {
      await answer.release.settle();
      const { outcome } = answer.recorded;
      const served = outcome.type === 'returned' && outcome.value ? decodeValue(outcome.value) : undefined;
      log.completed.push(served);
      if (JSON.stringify(served) !== JSON.stringify(call.output)) log.wrong.push(call.label);
    }
  }
}

/** Runs the agent against a player, as its code would run at the gate. */
export async function runAgent(agent: AgentCall, player: Player): Promise<AgentLog> {
  const log: AgentLog = { wrong: [], refused: [], completed: [] };
  await runCall(agent, { player, cursor: undefined }, log);
  return log;
}
