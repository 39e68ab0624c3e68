import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { writeRoute } from '../routing/route.ts';
import { crossingState } from './crossing-state.ts';

interface CallsProps {
  readonly runId: string;
  readonly crossings: readonly CrossingNode[];
  readonly node: CrossingNode;
}

const isModelCall = ({ kind }: CrossingNode): boolean => kind === 'model';
const hasFailed = (node: CrossingNode): boolean => crossingState(node) === 'error';

/**
 * Leads to what a model was asked and said before and behind a crossing, for where a tool failed, whoever looks wants to know next what it was called for;
 * and to what else failed, which among thousands of crossings nobody finds.
 */
export function CallsAround({ runId, crossings, node }: CallsProps) {
  const at = crossings.indexOf(node);
  const [before, behind] = [crossings.slice(0, at), crossings.slice(at + 1)];
  const around = [
    ['← model call before it', before.findLast(isModelCall)],
    ['model call after it →', behind.find(isModelCall)],
    ['← failed before it', before.findLast(hasFailed)],
    ['failed after it →', behind.find(hasFailed)],
  ] as const;
  if (around.every(([, call]) => call === undefined)) return null;
  return (
    <p class="facts">
      {around.map(([words, call]) =>
        call === undefined ? null : (
          <a key={words} href={writeRoute({ page: 'run', id: runId, spanId: call.spanId })} title={call.name}>
            {words}
          </a>
        ),
      )}
    </p>
  );
}
