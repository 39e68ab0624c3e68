import type { GoingRuns, RetentionPreview } from '@reenact/collector';
import { counted } from '@reenact/trace-model/words';
import { shownTime } from './run-rows.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

function goingText({ runs, failedRuns, keptRuns, logDays, packedBytes }: GoingRuns): string {
  if (runs === 0 && logDays === 0) return 'nothing';
  const marked = [
    ...(failedRuns === 0 ? [] : [`${failedRuns} failed or not summarised yet`]),
    ...(keptRuns === 0 ? [] : [`${keptRuns} kept`]),
  ];
  const days = logDays === 0 ? '' : ` and ${counted(logDays, 'day')} of log records without a run`;
  const among = marked.length === 0 ? '' : ` (of them ${marked.join(', ')})`;
  return `${counted(runs, 'run')}${among}${days}, ${megabytes(packedBytes)} as compressed`;
}

/** Whose they are, where they are of several. */
function tenantsText({ byAge, byAgeOf = [] }: RetentionPreview): readonly string[] {
  if (byAgeOf.length < 2) return [];
  const others = byAge.runs - byAgeOf.reduce((sum, { runs }) => sum + runs, 0);
  const each = byAgeOf.map(({ tenant, runs }) => `${tenant} ${runs}`);
  return [`  by tenant: ${[...each, ...(others > 0 ? [`others ${others}`] : [])].join(' · ')}`];
}

/** What retention would let go of: by which settings first, since they may be others than somebody thought. */
export function retentionLines(preview: RetentionPreview): string[] {
  const { retention, storedRuns, storedBytes, byAge, bySize, excessBytes, named } = preview;
  const { graceDays, ordinaryDays, specialDays, bytesMax } = retention;
  const size = bytesMax === undefined ? 'no bytesMax' : `bytesMax ${bytesMax}`;
  const rest = byAge.runs - named.length;
  return [
    `graceDays ${graceDays}, ordinaryDays ${ordinaryDays}, specialDays ${specialDays}, ${size}`,
    `stored: ${counted(storedRuns, 'run')}, ${megabytes(storedBytes)}`,
    `would go by age: ${goingText(byAge)}`,
    ...tenantsText(preview),
    ...named.map(({ tenant, traceId, receivedMs, kept }) => {
      const reason = kept === undefined ? '' : `  kept: ${kept}`;
      return `  ${shownTime(new Date(receivedMs).toISOString())}  ${tenant}  ${traceId}${reason}`;
    }),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    ...(bytesMax === undefined ? [] : [`would go by size then, about: ${goingText(bySize)}`]),
    ...(excessBytes === 0
      ? []
      : [`and about ${megabytes(excessBytes)} more than bytesMax would stay, within graceDays`]),
    'Nothing was deleted.',
  ];
}
