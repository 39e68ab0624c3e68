import {
  type Crossing,
  changesTheWorld,
  isMarkOfCode,
  type Payload,
  servedClasses,
  UPGRADED_MARK,
  unwrittenOutcome,
} from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { listed } from '../listed.ts';

/** Nothing else in the report says why the code waits for a message in vain, or what records it. */
const UPGRADED_ADVICE =
  'What came over that connection does not come again. A WebSocket is recorded where it is opened inside of an agent(): open it there and record again.';

const MINIFIED_ADVICE =
  'Such a name is one that a minifier gave: in a program that was built anew another class may have it, and no look at the value tells. Have the bundler keep names (`reenact docs bundlers`).';

const undoneMark = /^\/input\/(\d+) (function|changed by the call|changed meanwhile)$/;

/** What a served call did, or may have done, to what it was given when it was recorded: a replay gives its outcome and does nothing else. */
function undoneBy(recorded: Crossing): string[] {
  return recorded.lossy.flatMap((mark) => {
    const [, position = '', what] = undoneMark.exec(mark) ?? [];
    const argument = `argument ${Number(position) + 1}`;
    switch (what) {
      case undefined:
        return [];
      case 'function':
        if (recorded.kind !== 'tool') return [];
        return `the function that is its ${argument} was not called`;
      case 'changed by the call':
        return `what it had put into its ${argument} is not there`;
      default:
        return `its ${argument}, which held something else when it ended, is as it was given: by whom that was changed is not known`;
    }
  });
}

/** Notes what of a crossing that is served is not as it was: what could not be recorded, and classes that are not here. */
export function noteLosses(recorded: Crossing, sink: EventSink): void {
  // What its code drew or connected to is no part of what is served.
  const lost = recorded.lossy.filter((mark) => !mark.startsWith('/input') && !isMarkOfCode(mark));
  const note = (text: string): void => sink.write({ type: 'note', text, path: recorded.path, unverified: false });
  const unwritten = unwrittenOutcome(recorded);
  if (unwritten !== undefined) {
    const text = `The recording lacks what ${recorded.path} came to: ${unwritten}. It is not answered; what came after it is not compared. Let it run for real with --live, or say with --edit what it gave.`;
    sink.write({ type: 'note', text, path: recorded.path, unverified: true });
  }
  const upgraded = lost.includes(UPGRADED_MARK) ? ` ${UPGRADED_ADVICE}` : '';
  if (lost.length > 0)
    note(`${recorded.path} was served without what could not be recorded: ${listed(lost)}.${upgraded}`);
  const undone = undoneBy(recorded).join(', and ');
  if (undone !== '') {
    const live = changesTheWorld(recorded.effect) ? '' : `, or run it for real with --live ${recorded.path}`;
    const text = `${recorded.path} was served, so ${undone}. Where the agent needs that, have the call give it back${live}.`;
    sink.write({ type: 'note', text, path: recorded.path, unverified: false, undone: true });
  }
  const classes = payloadsOf(recorded).map(servedClasses);
  const minified = listed([...new Set(classes.flatMap((one) => [...one.minified]))]);
  if (minified !== '') note(`${recorded.path} was served with instances of ${minified}. ${MINIFIED_ADVICE}`);
  const absent = classes
    .flatMap((one) => [...one.absent])
    .filter((name) => !lost.some((mark) => mark.endsWith(`class ${name}`)));
  if (absent.length === 0) return;
  const names = listed([...new Set(absent)]);
  note(`${recorded.path} was served with plain objects, as nothing that is loaded has their class: ${names}.`);
}

function payloadsOf({ outcome }: Crossing): readonly Payload[] {
  const payloads = [
    'value' in outcome ? outcome.value : undefined,
    'error' in outcome ? outcome.error : undefined,
    ...('chunks' in outcome ? outcome.chunks.map(({ value }) => value) : []),
  ];
  return payloads.filter((payload) => payload !== undefined);
}
