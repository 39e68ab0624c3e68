import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { writeRoute } from '../routing/route.ts';

interface ModelCallsProps {
  readonly runId: string;
  readonly crossings: readonly CrossingNode[];
  readonly node: CrossingNode;
}

const isModelCall = ({ kind }: CrossingNode): boolean => kind === 'model';

/** Leads to what a model was asked and said before and behind a crossing: where a tool failed, whoever looks wants to know next what it was called for. */
export function ModelCallsAround({ runId, crossings, node }: ModelCallsProps) {
  const at = crossings.indexOf(node);
  const around = [
    ['← model call before it', crossings.slice(0, at).findLast(isModelCall)],
    ['model call after it →', crossings.slice(at + 1).find(isModelCall)],
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
