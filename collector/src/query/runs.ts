import { ReenactError } from '@reenact/trace-model';
import { type RunList, type RunQuery, runQuerySchema } from '@reenact/trace-model/collector-api';
import { RUNS_PER_PAGE_DEFAULT } from '../limits.ts';
import type { Store } from '../store/store.ts';
import { type Answerer, answerJson, type Question, refuseParameters } from './answer.ts';
import type { Summariser } from './summariser.ts';

const PARAMETERS = Object.keys(runQuerySchema.shape);

/** `GET /api/v1/runs`: runs newest first. What was acknowledged before the question is in the answer. */
export function createRunsAnswerer(store: Store, summariser: Summariser): Answerer {
  return async (question) => {
    const query = readQuery(question);
    await summariser.settle();
    const page = await store.listRuns(question.tenant, query, query.limit ?? RUNS_PER_PAGE_DEFAULT);
    const list: RunList = { runs: [...page.runs], ...(page.next === undefined ? {} : { nextCursor: page.next }) };
    return answerJson(list);
  };
}

function readQuery(question: Question): RunQuery {
  refuseParameters(question, PARAMETERS);
  const parsed = runQuerySchema.safeParse(Object.fromEntries(question.parameters));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? '';
  throw new ReenactError('bad-request', `The parameter "${name}" cannot be used: ${issue?.message ?? 'unknown'}.`, {
    where: name,
    next: `Use ${PARAMETERS.join(', ')}; times as ISO 8601, limit from 1 to 500, status ok or error.`,
  });
}
