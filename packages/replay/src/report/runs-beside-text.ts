import type { ReplayedRunBeside, ReplayReport } from '@reenact/trace-model';

function nameOf({ place, path, traceId }: ReplayedRunBeside): string {
  return `Run ${place} of the process, ${path} (trace ${traceId})`;
}

/** What became of the runs beside the replayed one, in one line; undefined where there were none. */
export function runsBesideText({ runsBeside }: ReplayReport): string | undefined {
  if (runsBeside === undefined) return undefined;
  const { place, recorded, begun, diverged, stubbed, refused } = runsBeside;
  const parts = [
    ...(place > 0 ? [`this is run ${place} of its process`] : []),
    `${recorded} ${recorded === 1 ? 'run' : 'runs'} before it or beside it answered from ${recorded === 1 ? 'its recording' : 'their recordings'}`,
    `${stubbed} stubbed`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(diverged > 0 ? [`${diverged} diverged`] : []),
    ...(begun < recorded ? [`${recorded - begun} not begun`] : []),
  ];
  return `Beside the run: ${parts.join(' · ')}`;
}

/** What differs in the runs beside the replayed one, a few sentences for each run; empty where nothing does. */
export function differencesBeside({ runsBeside }: ReplayReport): string[] {
  return (runsBeside?.runs ?? []).flatMap((run) => {
    const [first, ...others] = run.divergences;
    if (first === undefined) return [];
    const more =
      others.length === 0
        ? ''
        : ` ${others.length} more ${others.length === 1 ? 'divergence' : 'divergences'} followed.`;
    return [
      `${nameOf(run)}: ${first.kind} at ${first.path}. ${first.message}${more} Replay that one for all of it: \`reenact replay ${run.rootSpanId} -- <the same command>\``,
    ];
  });
}
