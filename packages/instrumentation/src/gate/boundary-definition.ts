import type { Attributes } from '@opentelemetry/api';
import type { BoundaryKind, CanonicalPolicy, CaptureLevel, Effect } from '@reenact/trace-model';
import type { RequiredIdentity } from './identity-requirement.ts';

/** Attributes of a crossing in two parts: what every exporter may see, and what only the recording holds. */
export interface SemconvView {
  /** Names, models, counts: set on the span itself. */
  readonly slim?: Attributes;
  /** Messages, arguments, results: only in the recording's view, unless the content policy says otherwise. */
  readonly content?: Attributes;
}

/** What the gate must know about a boundary; made once per wrapper or patched method, not per call. */
export interface BoundaryDefinition {
  readonly kind: BoundaryKind;
  /** Stable under the edits people make; a model boundary is `<provider>.<operation>` (DESIGN section 4, "names"). */
  readonly name: string;
  readonly effect: Effect;
  readonly capture: CaptureLevel;
  /** Which parts of the input a replay compares. */
  readonly policy: CanonicalPolicy;
  /** Client library whose parser reads the exchanges on replay, `openai@7.57.0`. */
  readonly sdk?: string;
  /** What must be known about whom a call is for; a crossing without it is flagged. */
  readonly requires?: readonly RequiredIdentity[];
}
