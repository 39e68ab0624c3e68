import { type Crossing, MISSING_CAUSES, type Recording, ReenactError } from '@reenact/trace-model';
import { NAMES_LISTED_MAX } from '../limits.ts';
import { missingOutcome } from '../player/missing-outcome.ts';
import type { ServedView } from './served-view.ts';

interface Lack {
  readonly crossing: Crossing;
  readonly text: string;
}

function listed(lines: readonly string[]): string {
  const more = lines.length - NAMES_LISTED_MAX;
  return [...lines.slice(0, NAMES_LISTED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ');
}

/** Causes as the recording was judged, each with what would have recorded it. */
function judgedLacks(recording: Recording, { spanId }: Crossing): string[] {
  const lacking = recording.replayability.missing.filter(
    ({ cause, spanId: where }) => where === spanId && (cause === 'no-input' || cause === 'no-outcome'),
  );
  return lacking.map(({ cause, detail }) => `${cause} (${detail ?? MISSING_CAUSES[cause]})`);
}

function lackOf(recording: Recording, view: ServedView, crossing: Crossing): string | undefined {
  const { name, reconstructed } = crossing;
  if (reconstructed === true && view.protocols.get(crossing.spanId)?.rebuilds(name) !== true) {
    return `${name} cannot be put together from GenAI attributes; record it with Reenact`;
  }
  const judged = judgedLacks(recording, crossing);
  if (judged.length > 0) return judged.join(', ');
  if (crossing.input?.data === undefined && crossing.key === undefined) return MISSING_CAUSES['no-input'];
  return missingOutcome(crossing);
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
  const lacks = view.served.flatMap((crossing): Lack[] => {
    const text = lackOf(recording, view, crossing);
    return text === undefined ? [] : [{ crossing, text }];
  });
  const [first] = lacks;
  if (first === undefined) return;
  const lines = lacks.map(({ crossing, text }) => `${crossing.path}: ${text}`);
  throw new ReenactError('cold-case', `This recording lacks what is needed to answer:\n  ${listed(lines)}`, {
    where: first.crossing.path,
    next: 'Record a new run with the settings named above.',
  });
}
