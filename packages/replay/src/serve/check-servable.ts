import { type Crossing, MISSING_CAUSES, type Recording, ReenactError } from '@reenact/trace-model';
import { NAMES_LISTED_MAX } from '../limits.ts';
import { missingOutcome } from '../recorded/missing-outcome.ts';
import type { ServedView } from './served-view.ts';

interface Lack {
  readonly crossing: Crossing;
  /** What is missing, in a few words. */
  readonly text: string;
  readonly remedy: string;
}

function listed(lines: readonly string[]): string {
  const more = lines.length - NAMES_LISTED_MAX;
  return [...lines.slice(0, NAMES_LISTED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ');
}

function lacksOf(recording: Recording, view: ServedView, crossing: Crossing): Lack[] {
  const { name, spanId, reconstructed } = crossing;
  if (reconstructed === true) {
    if (view.protocols.get(spanId)?.rebuilds(name) === true) return [];
    return [
      { crossing, text: `${name} cannot be put together from GenAI attributes`, remedy: 'Record it with Reenact.' },
    ];
  }
  const judged = recording.replayability.missing.filter(
    ({ cause, spanId: where }) => where === spanId && (cause === 'no-input' || cause === 'no-outcome'),
  );
  if (judged.length > 0) {
    return judged.map(({ cause, detail }) => ({ crossing, text: cause, remedy: detail ?? MISSING_CAUSES[cause] }));
  }
  if (crossing.exchanges.some(({ response }) => response?.cut !== undefined)) {
    const remedy = 'Record a run with a shorter answer.';
    return [{ crossing, text: 'its answer was longer than what is kept', remedy }];
  }
  const text = missingOutcome(crossing);
  return text === undefined ? [] : [{ crossing, text, remedy: MISSING_CAUSES['no-exchange'] }];
}

function nothingToServe(recording: Recording, outside: ReadonlyMap<string, number>): ReenactError {
  const labels = [...outside.keys()];
  const holds = labels.length === 0 ? `${recording.spans.size} spans` : listed(labels).replaceAll('\n  ', ', ');
  return new ReenactError('cold-case', 'There is no model call here that can be answered over HTTP.', {
    where: recording.traceId,
    next: `The recording holds ${holds}. Name a trace with model calls; \`reenact runs\` lists what there is.`,
  });
}

/**
 * Checks before anything is served that every model call of the view can be answered and compared. Throws ReenactError
 * `cold-case` (what is missing, and which setting would have recorded it) or `recording-damaged`.
 */
export function checkServable(recording: Recording, view: ServedView): void {
  if (view.served.length === 0) throw nothingToServe(recording, view.outside);
  const damaged = view.served.filter(({ damage }) => damage.length > 0);
  if (damaged.length > 0) {
    const lines = damaged.map(({ path, damage }) => `${path}: ${damage.join('; ')}`);
    throw new ReenactError('recording-damaged', `This recording is damaged:\n  ${listed(lines)}`, {
      where: damaged[0]?.path ?? '',
      next: 'Get it again from where it was recorded with `reenact export <id> --out <file>`.',
    });
  }
  const lacks = view.served.flatMap((crossing) => lacksOf(recording, view, crossing));
  const [first] = lacks;
  if (first === undefined) return;
  const byPath = Map.groupBy(lacks, ({ crossing }) => crossing.path);
  const lines = [...byPath].map(([path, items]) => `${path}: ${items.map(({ text }) => text).join(', ')}`);
  throw new ReenactError('cold-case', `This recording lacks what is needed to answer:\n  ${listed(lines)}`, {
    where: first.crossing.path,
    next: [...new Set(lacks.map(({ remedy }) => remedy))].join('\n'),
  });
}
