import type { RunQuery, RunSummary } from '@reenact/trace-model/collector-api';

/** So many of the same crossing are looked through for one of the same root. */
const RUNS_LOOKED_AT_MAX = 50;

/** The question for runs before this one that ended well and may be of the same kind. */
export function earlierRunQuery({ name: root, service, startedAt }: RunSummary): RunQuery {
  const [, name] = root.split(/:(.*)/s);
  return {
    status: 'ok',
    until: startedAt,
    limit: RUNS_LOOKED_AT_MAX,
    ...(service === '' ? {} : { service }),
    ...(name === undefined || name === '' ? {} : { name }),
  };
}

/** The newest of these runs, newest first, that begins as this one does and has ended. */
export function lastGoodRun(run: RunSummary, earlier: readonly RunSummary[]): RunSummary | undefined {
  return earlier.find(({ name, isPending }) => name === run.name && isPending !== true);
}
