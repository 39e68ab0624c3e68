import { type DiffInput, type DiffStep, type RecordingDiff, subtreeOf } from '@reenact/recordings';
import { crossingLabel, offPair } from '@reenact/trace-model';
import type { ComparedDifference, ComparedStep, RunComparison } from '@reenact/trace-model/collector-api';
import { COMPARED_ENVIRONMENT_MAX, COMPARED_STEPS_MAX, COMPARED_VALUE_CHARACTERS_MAX } from '../limits.ts';

/** One side of a comparison, and what its recording holds. */
export interface ComparedSide extends DiffInput {
  readonly replayability: RunComparison['left']['replayability'];
}

/** Both sides of a comparison. */
type ComparedSides = readonly [left: ComparedSide, right: ComparedSide];

/** What was found, as the API gives it: the tree as a list, and bounded. */
export function toComparison(diff: RecordingDiff, sides: ComparedSides): RunComparison {
  const { version: _version, tree, differenceTotal, environment, differences, left, right, ...found } = diff;
  const all = [...stepsOf(tree, sides)];
  const steps = all.slice(0, COMPARED_STEPS_MAX);
  return {
    ...found,
    left: { ...left, ...stateOf(sides[0]) },
    right: { ...right, ...stateOf(sides[1]) },
    environment: environment.slice(0, COMPARED_ENVIRONMENT_MAX).map(shortened),
    ...leftOut('leftOutEnvironment', environment.length - COMPARED_ENVIRONMENT_MAX),
    steps,
    ...leftOut('leftOutSteps', all.length - steps.length),
    differences: differences.map(toDifference),
    ...leftOut('leftOutDifferences', differenceTotal - differences.length),
    notes: [...found.notes],
  };
}

function toDifference({ input, outcome, ...facts }: RecordingDiff['differences'][number]): ComparedDifference {
  return {
    ...facts,
    ...(input === undefined ? {} : { input: { ...input, places: [...input.places] } }),
    ...(outcome === undefined ? {} : { outcome: { ...outcome, places: [...outcome.places] } }),
  };
}

function leftOut<Name extends string>(name: Name, count: number): { [Key in Name]?: number } {
  return (count > 0 ? { [name]: count } : {}) as { [Key in Name]?: number };
}

function shortened<Fact extends RecordingDiff['environment'][number]>(fact: Fact): Fact {
  const short = (text: string): string =>
    text.length > COMPARED_VALUE_CHARACTERS_MAX
      ? `${text.slice(0, offPair(text, COMPARED_VALUE_CHARACTERS_MAX))}…`
      : text;
  return {
    ...fact,
    ...(fact.left === undefined ? {} : { left: short(fact.left) }),
    ...(fact.right === undefined ? {} : { right: short(fact.right) }),
  };
}

/** How far a side can be trusted to be whole. */
function stateOf({
  recording,
  rootSpanId,
  replayability,
}: ComparedSide): Pick<RunComparison['left'], 'replayability' | 'pendingCrossings'> {
  const pending = subtreeOf(recording, rootSpanId).filter(({ outcome }) => outcome.type === 'pending').length;
  return { replayability, ...(pending === 0 ? {} : { pendingCrossings: pending }) };
}

/** Parents before children; runs nest deeper than calls may. */
function* stepsOf(tree: DiffStep, [left, right]: ComparedSides): Generator<ComparedStep> {
  const waiting = [{ step: tree, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { step, depth } = next;
    const crossing =
      left.recording.bySpanId.get(step.left?.spanId ?? '') ?? right.recording.bySpanId.get(step.right?.spanId ?? '');
    yield {
      status: step.status,
      ...(step.moved === true ? { moved: true } : {}),
      depth,
      name: crossing === undefined ? '' : crossingLabel(crossing),
      ...(step.left === undefined ? {} : { left: step.left.spanId }),
      ...(step.right === undefined ? {} : { right: step.right.spanId }),
      ...(step.difference === undefined ? {} : { difference: step.difference }),
    };
    for (const child of step.children.toReversed()) waiting.push({ step: child, depth: depth + 1 });
  }
}
