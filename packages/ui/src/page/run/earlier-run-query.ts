import { type RunQuery, type RunSummary, runQuerySchema } from '@reenact/trace-model/collector-api';

/** So many of the same crossing are looked through for one of the same root. */
const RUNS_LOOKED_AT_MAX = 50;

/** The crossing that a run begins with; of no kind where it begins with none, as with `GET a:80`. */
function rootCrossing(root: string): Pick<RunQuery, 'kind' | 'name'> {
  const [before, name = ''] = root.split(/:(.*)/s);
  const kind = runQuerySchema.shape.kind.safeParse(before);
  return kind.success && name !== '' ? { kind: kind.data, name } : {};
}

/** The question for runs before this one that ended well and may be of the same kind. */
export function earlierRunQuery({ name: root, service, startedAt }: RunSummary): RunQuery {
  return {
    status: 'ok',
    until: startedAt,
    limit: RUNS_LOOKED_AT_MAX,
    ...(service === '' ? {} : { service }),
    ...rootCrossing(root),
  };
}

/** Of these runs those that begin as this one does, in the same service, and have ended: others only passed that service. */
export function goodRunsBefore(run: RunSummary, earlier: readonly RunSummary[]): RunSummary[] {
  return earlier.filter(
    ({ name, service, isPending }) => name === run.name && service === run.service && isPending !== true,
  );
}

/** The newest of these runs, newest first. */
export function lastGoodRun(run: RunSummary, earlier: readonly RunSummary[]): RunSummary | undefined {
  return goodRunsBefore(run, earlier)[0];
}
