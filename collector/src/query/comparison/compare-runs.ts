import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store } from '../../store/store.ts';
import { type Answerer, parametersOf, type Question } from '../answer.ts';
import { resolveTrace } from '../resolve-trace.ts';
import type { ComparedRun } from './comparison-calls.ts';
import type { ComparisonThread } from './comparison-thread.ts';

/** `GET /api/v1/comparison`: two runs of a tenant side by side. Nothing of them is read or held on this thread but the answer. */
export function createComparisonAnswerer(store: Store, comparisons: ComparisonThread): Answerer {
  return async (question) => {
    const { left, right, exact = false } = parametersOf(question, API_OPERATIONS.compareRuns.parameters);
    const { tenant } = question;
    const runs = [await findRun(store, tenant, left), await findRun(store, tenant, right)] as const;
    const body = await comparisons.compare({ tenant, left: runs[0], right: runs[1], exact });
    return { status: 200, body };
  };
}

async function findRun(store: Store, tenant: Question['tenant'], named: string): Promise<ComparedRun> {
  const traceId = await resolveTrace(store, { tenant, id: named });
  return { traceId, spanId: named.length === 16 ? named.toLowerCase() : undefined, named };
}
