/** The closed list of boundary kinds (DESIGN section 2, "boundary"). */
export const BOUNDARY_KINDS = [
  'agent',
  'model',
  'tool',
  'retrieval',
  'embedding',
  'memory',
  'mcp',
  'guardrail',
  'verify',
  'approval',
  'database',
  'http',
  'rpc',
  'message',
  'file',
  'environment',
  'screen',
  'clock',
  'random',
  'function',
] as const;

/** What sort of non-determinism or side effect enters at a boundary. */
export type BoundaryKind = (typeof BOUNDARY_KINDS)[number];

/** What running a boundary's code does to the world, from harmless to irreversible. */
export const EFFECTS = ['none', 'read', 'write', 'destructive'] as const;

/** One effect class. */
export type Effect = (typeof EFFECTS)[number];

/** How much of a crossing's content is kept. */
export const CAPTURE_LEVELS = ['full', 'digest', 'none'] as const;

/** One capture level. */
export type CaptureLevel = (typeof CAPTURE_LEVELS)[number];

/**
 * The shape of a call. A stub answers in the shape that was recorded. An iterator can be read once, an iterable again and
 * again; `promise` with a streamed outcome is a promise of an async iterator; `exchange` means the client library itself
 * runs again over the recorded wire exchanges.
 */
export const CALL_SHAPES = [
  'sync',
  'promise',
  'iterator',
  'iterable',
  'async-iterator',
  'async-iterable',
  'exchange',
] as const;

/** One call shape. */
export type CallShape = (typeof CALL_SHAPES)[number];

/** The effect assumed where nobody declared one: unknown counts as write (DESIGN section 2, "effect"). */
export function defaultEffect(kind: BoundaryKind): Effect {
  switch (kind) {
    case 'clock':
    case 'random':
      return 'none';
    case 'model':
    case 'retrieval':
    case 'embedding':
    case 'guardrail':
    case 'verify':
    case 'environment':
    case 'screen':
      return 'read';
    case 'agent':
    case 'tool':
    case 'memory':
    case 'mcp':
    case 'approval':
    case 'database':
    case 'http':
    case 'rpc':
    case 'message':
    case 'file':
    case 'function':
      return 'write';
  }
}

/** Whether running code of this effect changes the world. */
export function changesTheWorld(effect: Effect): boolean {
  return effect === 'write' || effect === 'destructive';
}
