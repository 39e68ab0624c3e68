import type { RunTree, ToldFailedSpan } from '@reenact/trace-model/collector-api';
import { writeRoute } from '../routing/route.ts';

interface FailedSpanViewProps {
  readonly tree: RunTree;
  readonly span: ToldFailedSpan;
}

function FailedSpanView({ tree, span }: FailedSpanViewProps) {
  const { spanId, name, error, status, input } = span;
  const node = tree.crossings.find((crossing) => crossing.spanId === spanId);
  return (
    <p class="failure">
      {node === undefined ? (
        <span class="name" title={`span ${spanId}`}>
          {name}
        </span>
      ) : (
        <a href={writeRoute({ page: 'run', id: tree.run.traceId, spanId })}>
          {node.kind} {node.name}
        </a>
      )}{' '}
      {error === undefined ? (
        <span class="faint">failed, and does not say with what.</span>
      ) : (
        <strong class="bad">{error}</strong>
      )}
      {status === undefined ? null : (
        <>
          {' '}
          <span class="faint">status</span> <strong class="bad">{status}</strong>
        </>
      )}
      {input === undefined ? null : (
        <>
          {' '}
          <span class="faint">given</span> <code>{input}</code>
        </>
      )}
    </p>
  );
}

/** Where a run failed, with what, and what went in there: what somebody who is called at night looks for first. Nothing where it did not. */
export function FailureView({ tree }: { readonly tree: RunTree }) {
  const { failure } = tree;
  if (failure === undefined) return null;
  return (
    <>
      <FailedSpanView tree={tree} span={failure} />
      {failure.inside === undefined ? null : <FailedSpanView tree={tree} span={failure.inside} />}
    </>
  );
}
