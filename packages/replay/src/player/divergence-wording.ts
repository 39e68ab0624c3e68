import { type BoundaryDefinition, TELEMETRY_HOSTS_VARIABLE } from '@reenact/instrumentation';
import {
  type Crossing,
  changesTheWorld,
  crossingLabel,
  type JsonDiff,
  type SetUp,
  type SourceLine,
  unwrittenOutcome,
} from '@reenact/trace-model';
import type { ChangedCrossing } from '../edit/changed-crossing.ts';
import type { ForbiddenEffect } from '../guard/guarded-player.ts';
import { shellWord } from '../shell-word.ts';
import type { SameBy } from './closest-crossing.ts';
import type { ToolChanges } from './model-input.ts';

/** What a divergence says to people, and what to do next. */
export interface Wording {
  readonly message: string;
  readonly next: string;
}

function places(difference: JsonDiff): string {
  const first = difference.entries[0]?.path ?? '$';
  return difference.total === 1
    ? `it differs at ${first}`
    : `it differs in ${difference.total} places, first at ${first}`;
}

/** Names this crossing and no other of its name. */
function liveFlag({ path }: Pick<Crossing, 'path'>): string {
  return `--live ${shellWord(path)}`;
}

/** A run that is one call has none of what the program around it read from the clock or drew at random. */
function drawnAround({ kind, parentSpanId }: Crossing): string {
  return parentSpanId !== undefined || kind === 'agent'
    ? ''
    : ' No agent() is around this call, so what the program read from the clock or drew at random for it was not recorded: where that is what differs, put agent() around the code and record again.';
}

/** Telemetry looks like any request, so that only who knows the host can say what it is. */
function orTelemetry(label: string): string {
  const [, host] = /^http:\S+ (\S+)$/.exec(label) ?? [];
  return host === undefined
    ? ''
    : ` Where only telemetry is sent to that host, record again with ${TELEMETRY_HOSTS_VARIABLE}=${host}.`;
}

/** A call with another input than recorded. */
export function inputChanged(recorded: Crossing, path: string, difference: JsonDiff, isServed: boolean): Wording {
  const served = isServed ? ' What was served belongs to the recorded input.' : '';
  const first = difference.entries[0]?.path ?? '$';
  const restore = `Find what changed the value at ${first}`;
  const tryLive = isServed && !changesTheWorld(recorded.effect);
  return {
    message: `${path} was called with another input than recorded: ${places(difference)}.${served}`,
    next: `${tryLive ? `${restore}, or see what the new input gives with ${liveFlag(recorded)}` : restore}.${drawnAround(recorded)}${changesTheWorld(recorded.effect) ? orTelemetry(crossingLabel(recorded)) : ''}`,
  };
}

/** A call that was recorded somewhere else in the run. */
export function moved(recorded: Crossing, path: string, isServed: boolean): Wording {
  const served = isServed ? ', and got that outcome' : '';
  return {
    message: `${path} was called with exactly the input that was recorded at ${recorded.path}${served}.`,
    next: 'Record a new run if the call was moved on purpose; else call it from where it was recorded.',
  };
}

/** A call that came after a sibling which had been recorded to begin only when this one had ended. */
export function reordered(recorded: Crossing, overtakenBy: Crossing): Wording {
  return {
    message: `${recorded.path} was recorded to end before ${overtakenBy.path} began, but was called after it.`,
    next: 'Find what changed the order of the two calls; record a new run if that was on purpose.',
  };
}

/** How to run a call for real; never suggested for code that changes the world. */
function orLive(recorded: Crossing | undefined, words: string): string {
  return recorded === undefined || changesTheWorld(recorded.effect) ? '' : `, ${words} ${liveFlag(recorded)}`;
}

const setUpAdvice =
  ' What a process does once, when it is first needed, belongs before its runs: do it when the program starts. What several runs share, as a cache or a loader that gathers their calls, belongs inside a tool() (`reenact docs doctor`).';

function letRun({ path, boundary: { kind, effect } }: CalledAnew): string {
  // An agent's code is guarded wherever it runs, whatever effect it declares.
  if (kind === 'agent')
    return `, let its code run with ${liveFlag({ path })} (guarded as other agents are: a call of it that was not recorded is refused unless that is named, too)`;
  return changesTheWorld(effect) ? '' : `, let its code run with ${liveFlag({ path })}`;
}

/** What stands in the way of a run is never done once for all of them. */
const isOfOneRun: ReadonlySet<string> = new Set(['agent', 'approval', 'guardrail', 'verify']);

function takeOut(called: CalledAnew): string {
  const run = letRun(called);
  const advice = isOfOneRun.has(called.boundary.kind) ? '' : setUpAdvice;
  return `Take the call out${run}, or record a new run that makes it.${advice}`;
}

function keepName(called: CalledAnew, { name }: Crossing): string {
  return `Where only the name was changed, call it ${name} to replay this recording${letRun(called)}, or record a new run.`;
}

function elsewhere(closest: Crossing): string {
  return `Pass the input recorded at ${closest.path}${orLive(closest, 'let its code run with')}, or record a new run.`;
}

/** A call that the recording does not hold. */
interface CalledAnew {
  readonly path: string;
  readonly boundary: BoundaryDefinition;
}

/** A call for which nothing was recorded at this place. */
export function neverRecorded(called: CalledAnew, closest: Crossing | undefined, sameBy?: SameBy): Wording {
  const label = crossingLabel(called.boundary);
  if (closest !== undefined && sameBy !== undefined) {
    const same =
      sameBy === 'input' ? 'The same input was recorded for' : 'The same tool call of the model was answered by';
    const message = `${called.path} was never recorded here. ${same} ${closest.path}, which nothing has called.`;
    return { message, next: keepName(called, closest) };
  }
  const near = closest === undefined ? '' : ` The closest recorded crossing is ${closest.path}.`;
  const isElsewhere = closest !== undefined && crossingLabel(closest) === label;
  return {
    message: `${called.path} was never recorded here.${near}`,
    next: `${isElsewhere ? elsewhere(closest) : takeOut(called)}${orTelemetry(label)}`,
  };
}

/**
 * The same, or one call too many, where the code of `inside` makes it: that runs for real, and did not make it when it was recorded. Nothing that
 * the requests before left in memory is in there, for their calls are answered.
 */
export function insideLive({ message }: Wording, called: CalledAnew, inside: Crossing): Wording {
  const label = crossingLabel(inside);
  const { kind, effect } = called.boundary;
  const isNamed = kind === 'agent' || changesTheWorld(effect);
  const record = 'ecord a new run with a tool() inside of that code around what it keeps';
  return {
    message: `${message} The code of ${inside.path} runs for real, and did not make this call when it was recorded.`,
    next: `Where that code is as it was, what it keeps between calls, such as a cache, answered then and has nothing here: earlier calls of ${label} that are answered as recorded leave nothing in it, and those of other runs and requests always are, with --requests-before, too. ${isNamed ? `R${record}` : `Let this call happen with ${liveFlag(called)}, or r${record}`}. Where the code is new, take the call out, or record a new run that makes it.${orTelemetry(crossingLabel(called.boundary))}`,
  };
}

/** What to do about a call that the recording does not hold, and that ran because the plan names it. */
export function ranAnew({ kind }: BoundaryDefinition): string {
  const how = kind === 'agent' ? 'its code ran, guarded,' : 'it ran for real,';
  return `Look at what it led to: ${how} as the plan says. Record a new run that makes the call.`;
}

/** A call of the program that was made before the recorded run began: no crossing of that run. */
export function beforeTheRun(label: string, root: Crossing): Wording {
  return {
    message: `${label} was called before ${crossingLabel(root)} began: it is set-up of the program, and this recording holds none.`,
    next: 'Record a new run, make the call inside it, or enter the run by its function and not by its program: --entry <file>#<function>, or an entry in reenact.config.ts.',
  };
}

/** A call of the process, outside the run, that it had not made before the recorded run began; `hasSome`: not as often. */
export function notInSetUp(
  path: string,
  root: Crossing,
  { setUp: { crossings, traceId, spanId, count }, hasSome }: { readonly setUp: SetUp; readonly hasSome: boolean },
): Wording {
  const held = crossings.filter(({ parentSpanId }) => parentSpanId === spanId).length;
  const lacking = held < count ? `; ${count - held} more had begun and are not in the recording` : '';
  return {
    message: `${path} was called outside of ${crossingLabel(root)}, and the process had ${hasSome ? 'made such calls no more often' : 'not made this call'} before that began: its set-up has ${held} ${held === 1 ? 'call' : 'calls'}${lacking}.`,
    next: `Look at the set-up with \`reenact show ${traceId}\`; take the call out, make it inside the run, or record a new run.`,
  };
}

/** One call that the process makes once the run is over. */
interface AfterTheRun {
  readonly path: string;
  readonly label: string;
  readonly root: Crossing;
  readonly setUp: SetUp | undefined;
}

function cameAfter({ path, label, root, setUp }: AfterTheRun): string {
  const [what, lacking] =
    setUp === undefined ? [label, 'nothing that its process did outside of it'] : [path, 'nothing'];
  return `${what} was called after ${crossingLabel(root)} had ended, and ${lacking} was recorded that answers it`;
}

/** The same of a call that ends what the program has opened. */
export function closedAfterTheRun(after: AfterTheRun): Wording {
  return {
    message: `${cameAfter(after)}: it was left out.`,
    next: 'It closes what a replay does not open, so the program goes on as if it had been made.',
  };
}

/** A call outside of every run, of a boundary that was called there, too, when this run was recorded: while it went on, or before. */
export function besideTheRun(label: string, root: Crossing): Wording {
  return {
    message: `${label} was called outside of every run while ${crossingLabel(root)} went on, as the process did when this was recorded, and was refused: what it was answered is not in the recording of the run.`,
    next: `Where it is telemetry or a poll of the program, nothing need be done. Where the run waits for it, bind it to the run with AsyncResource.bind and record again.${orTelemetry(label)}`,
  };
}

/** A call that the process makes once the run is over, and of which nothing was recorded: no part of what is compared. */
export function afterTheRun(after: AfterTheRun): Wording {
  const { setUp } = after;
  const way =
    setUp === undefined
      ? ' Make the call inside the run, or another one before it, such as connecting: then what follows the run is recorded beside it.'
      : '';
  return {
    message: `${cameAfter(after)}: it was refused.`,
    next: `The run is not touched by it; what the process does with the error may be.${way}${orTelemetry(after.label)}`,
  };
}

function placeOf({ source }: ForbiddenEffect): string {
  return source === undefined ? '' : ` (${source.file}:${source.line}:${source.column})`;
}

/** The same of an effect that no boundary covers. */
export function forbiddenAfterTheRun(effect: ForbiddenEffect, root: Crossing): string {
  const { message, allow = '' } = effect;
  return `${message} It came after ${crossingLabel(root)} had ended${placeOf(effect)}: the run is judged without it. What the program does with the error may be another thing than was recorded.${allow}`;
}

/** One that code of no run attempted before the run began, or while it went on. */
export function forbiddenOutsideTheRun(effect: ForbiddenEffect, when: 'before' | 'beside', root: Crossing): string {
  const { message, allow = '' } = effect;
  const label = crossingLabel(root);
  const then = when === 'before' ? `before ${label} began` : `while ${label} went on`;
  return `${message} It came from outside of every run${placeOf(effect)}, ${then}.${allow}`;
}

/** An effect of a worker thread that did not run for the sake of the run. */
export function forbiddenInThread(effect: ForbiddenEffect): string {
  const { message, allow = '' } = effect;
  return `${message} It came from a worker thread${placeOf(effect)} that no run had started or asked for anything.${allow}`;
}

/** A call outside of the run, made more often than it was recorded before the run. */
export function calledAgain({ path }: Crossing): string {
  return `What answered ${path} was served again: the call was made more often outside of the run than it was recorded before it.`;
}

/** One call more than was recorded. */
export function exhausted(path: string, recorded: Crossing | undefined, label: string, recordedCount: number): Wording {
  const times = recordedCount === 1 ? 'once' : `${recordedCount} times`;
  return {
    message: `${path} is one call too many: ${label} was recorded ${times} here, and each has been met.`,
    // The call has no recorded crossing of its own that a selector could name.
    next: `Find what added the call, such as a retry or a loop${recorded === undefined || changesTheWorld(recorded.effect) ? '' : `, or let every call of it run with --live ${shellWord(label)}`}.${orTelemetry(label)}`,
  };
}

/** One more run in a process that replays one. */
export function anotherRun(path: string, root: Crossing): Wording {
  return {
    message: `${path} is another run: this replay is of one run of ${crossingLabel(root)}, which has begun already.`,
    next: 'Start only the recorded run, or enter it by its function: --entry <file>#<function>, or an entry in reenact.config.ts. Where that was done, the module of the function starts a run as it is loaded: keep that start in a file of its own.',
  };
}

/** More was asked of one served crossing than it holds. */
export function exhaustedInside(path: string, detail: string, recorded: Crossing): Wording {
  const unwritten = unwrittenOutcome(recorded);
  if (unwritten !== undefined) {
    const message = `${path} cannot be answered: ${unwritten}.`;
    return { message, next: 'Let it run for real with --live, or say with --edit what it gave.' };
  }
  return {
    message: `${path} was asked for more than was recorded: ${detail.replace(/\.$/, '')}.`,
    next: 'Find what asks for more, such as another retry or a longer read of the stream.',
  };
}

/** A call that the plan forbids. */
export function forbidden(path: string, label: string, source: SourceLine | undefined): Wording {
  const place = source === undefined ? '' : ` at ${source.file}:${source.line}`;
  return {
    message: `${path} was called, and the plan forbids it.`,
    next: `Take out the call${place}, or drop --forbid ${shellWord(label)}.`,
  };
}

/** A crossing whose recorded payload cannot be trusted. */
export function damaged(recorded: Crossing): Wording {
  return {
    message: `The recording of ${recorded.path} is damaged: ${recorded.damage.join('; ')}.`,
    next: 'Get the recording again with `reenact export <id> --out <file>`.',
  };
}

/** A crossing of which too little was recorded to answer with. */
export function cold(recorded: Crossing, missing: string): Wording {
  return {
    message: `${recorded.path} cannot be answered: ${missing}.`,
    next: `Record this boundary with capture: "full"${orLive(recorded, 'or let its code run with')}.`,
  };
}

/** A live crossing that ended in another way than recorded. */
export function outputChanged(recorded: Crossing, difference: JsonDiff): Wording {
  return {
    message: `${recorded.path} ran and ended differently: ${places(difference)}.`,
    next: `Check that this is what the changed code should give. To see where it leads, let the rest run for real: --fork ${shellWord(recorded.path)}`,
  };
}

/** The run itself ended in another way than recorded. */
export function outcomeChanged(root: Crossing, difference: JsonDiff): Wording {
  return {
    message: `The run ${root.path} ended differently: ${places(difference)}.`,
    next: 'Look at the first cause above.',
  };
}

function toolWords({ renamed, changed, removed, added }: ToolChanges): string {
  const some = (names: readonly string[]): string => `the tool${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  const parts = [
    ...renamed.map(([was, now]) => `with the tool ${was} under the name ${now}`),
    ...(changed.length > 0 ? [`with another schema of ${some(changed)} than recorded`] : []),
    ...(removed.length > 0 ? [`without ${some(removed)}`] : []),
    ...(added.length > 0 ? [`with ${some(added)}, which it did not have when it was recorded`] : []),
  ];
  return parts.length === 0 ? 'with its tools in another order than recorded' : parts.join(' and ');
}

/** A model call that may use other tools than recorded. */
export function schemaChanged(recorded: Crossing, path: string, changes: ToolChanges, difference: JsonDiff): Wording {
  const { renamed, changed, removed, added } = changes;
  const names = [...renamed.flat(), ...changed, ...removed, ...added];
  // What was recorded answers on: it asks for tools by the names that they had.
  const gone = [...renamed.map(([was]) => was), ...removed];
  const recordedCalls =
    gone.length === 0
      ? ''
      : ` Recorded answers may still call ${gone.join(', ')}: keep the name to replay what follows.`;
  return {
    message: `${path} was called ${toolWords(changes)}: ${places(difference)}.`,
    next: `Check the definition of ${names.length === 0 ? 'the tools' : names.join(', ')}; record a new run if it was changed on purpose.${recordedCalls} \`reenact show ${recorded.spanId} --full\` prints the recorded one.`,
  };
}

/** A model call whose prompt, model or sampling the edit-tolerant profile lets differ. */
export function toleratedInput(recorded: Crossing, members: readonly string[], difference: JsonDiff): string {
  const first = difference.entries[0]?.path ?? '$';
  const count = difference.total === 1 ? '1 place' : `${difference.total} places`;
  return `Profile edit-tolerant: ${recorded.path} was matched by its place and tools. Its input differs in ${members.join(', ')} (${count}, first at ${first}), and what was served belongs to the recorded input.`;
}

/** What the plan put in the place of a recorded outcome. */
export function editedOutcome(
  recorded: Crossing,
  path: string,
  { policy, difference, failedAttempts }: Omit<ChangedCrossing, 'served'>,
): Wording {
  const what = policy === 'edit' ? 'was answered as the plan says' : 'failed as the plan says';
  const same = difference.total === 0 ? ', which is what was recorded' : '';
  const [attempts, fail] = failedAttempts === 1 ? ['attempt', 'fails'] : [`${failedAttempts} attempts`, 'fail'];
  return {
    // How often the client asks again is not known yet.
    message:
      failedAttempts === undefined
        ? `${path} ${what}${same}.`
        : `As the plan says, the first ${attempts} of ${path} ${fail}; one after that is answered as recorded.`,
    next: `Compare what followed with the recorded run; leave ${crossingLabel(recorded)} out of the plan to serve what was recorded.`,
  };
}

/** What the plan changed in an input before the code ran. */
export function editedInput(path: string): Wording {
  return {
    message: `${path} ran with the input that the plan says.`,
    next: 'Compare what it gave with what was recorded; fork with --fork to keep the new run.',
  };
}

/** A crossing from which on a replay runs for real. */
export function forked(path: string): Wording {
  return {
    message: `From ${path} on, everything that changes nothing ran for real.`,
    next: 'Look at the new run with `reenact show <trace-id>`, of the trace that a note names; it can be replayed by itself.',
  };
}

/** A call behind a fork that changes the world and was not named. */
export function forkedWrite(path: string, label: string): Wording {
  return {
    message: `${path} changes the world, comes after the fork and was not recorded like this; the plan does not name it.`,
    next: `Add --live ${shellWord(label)} if it is to happen; a fork alone never does it.`,
  };
}

/** A live model call that was answered by another model than recorded. */
export function servedModelChanged(path: string, difference: JsonDiff): Wording {
  const parts = difference.entries.map(
    ({ path: place, recorded, live }) => `${place.slice(2)} ${live ?? '(absent)'} instead of ${recorded ?? '(absent)'}`,
  );
  return {
    message: `${path} was answered live by another model, or in another way, than recorded: ${parts.join(', ')}.`,
    next: 'Ask for the recorded snapshot by its full name if the answer depends on it.',
  };
}

/** A package of a model client in another version than recorded. */
export function senderChanged(sender: string, was: string, now: string): Wording {
  return {
    message: `${sender} is ${now} and was ${was} when this was recorded.`,
    next: 'Replay with the recorded version if what it sends or gives differs.',
  };
}

/** Said once where live model answers were compared. */
export const comparedByMeaning =
  'Live model answers were compared by what they say: text, refusals, tool calls and why they stopped. Ids, times, token counts and log-probabilities are volatile and were not compared.';

/** A call of a model client that was recorded as nothing but what it sent. */
export function sentUnpatched(path: string, request: Crossing): string {
  return `${path} was recorded by its requests alone, as ${request.path}: its library had been loaded before what patches it, or was a version that nothing patches. It was compared and answered there.`;
}

/** A client that was let through to send such a request, and ended without. */
export function sentNothing(path: string, request: Crossing): Wording {
  return {
    message: `${path} was never recorded. ${request.path} was, which a client sends that nothing patches: so its code ran, but sent no request that was recorded here.`,
    next: 'Look at what answered it in place of that request, such as a fetch of its own. Record a new run that makes the call.',
  };
}

/** A request to a recorded service that takes no part in the replay: it was not sent. */
export function notJoined(path: string, address: string): string {
  return `${path} was not sent, but served as it was recorded: what answers at ${address} does not take part in this replay, and would have done it for real. Start that service with REENACT_REPLAY_ALLOW=shared, and name its host in REENACT_PROPAGATE_TO where it is another machine; or say --stub, where that is what you want.`;
}
