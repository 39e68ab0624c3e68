import type { Program } from '../../../conformance/instrumentation/performance.ts';

/** What a request does with what the service keeps for all of them; `key` says under which name. */
export type MemoryUse =
  | { readonly does: 'alone'; readonly part: Program }
  | { readonly does: 'once' | 'in-flight'; readonly key: string; readonly part: Program }
  | { readonly does: 'in-turn'; readonly key: string; readonly part: Program }
  | { readonly does: 'guarded'; readonly key: string; readonly part: Program }
  | { readonly does: 'behind'; readonly key: string; readonly part: Program }
  | { readonly does: 'cached'; readonly key: string; readonly ms: number; readonly part: Program }
  | { readonly does: 'gathered'; readonly key: string; readonly ms: number }
  | { readonly does: 'awaited'; readonly key: string; readonly ms: number }
  | { readonly does: 'counted' | 'said'; readonly key: string };

/** What a generated service is asked for. */
export interface RequestProgram {
  readonly name: string;
  readonly isTogether: boolean;
  readonly uses: readonly MemoryUse[];
}

/** The same of a job, which begins with a pause. */
export interface Job {
  readonly afterMs: number;
  readonly program: RequestProgram;
}
