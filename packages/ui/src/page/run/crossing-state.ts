import type { CrossingNode } from '@reenact/trace-model/collector-api';

const failed: ReadonlySet<string> = new Set(['threw', 'failed']);

/** Whether a crossing gave back that it failed, as a tool of MCP does (`isError`): no error was thrown, and yet what came after it may come of it. */
export function hasReturnedError({ outcome, errorType }: CrossingNode): boolean {
  return errorType !== undefined && !failed.has(outcome) && outcome !== 'pending';
}

/** How a crossing is marked: `error` where it failed or says that it did, else by its outcome. */
export function crossingState(node: CrossingNode): string {
  return failed.has(node.outcome) || hasReturnedError(node) ? 'error' : node.outcome;
}
