import {
  type Crossing,
  canonicalJson,
  canonicalKey,
  canonicalPolicy,
  canonicalTree,
  diffTrees,
  type EncodedValue,
  type JsonDiff,
  type Payload,
  payloadTree,
} from '@reenact/trace-model';
import { changedLeaves } from './changed-leaves.ts';
import { withoutValuesAt } from './pointer-cut.ts';

/** What comparing a live input with a recorded one gave. */
export type InputComparison =
  | {
      readonly type: 'equal' /** Redacted places, compared by presence only. */;
      readonly unverified: readonly string[];
    }
  | { readonly type: 'changed' }
  /** The recording does not hold what a comparison needs. */
  | { readonly type: 'unknown'; readonly why: string };

/** How a live input differs from a recorded one. */
export interface InputDifference {
  readonly difference: JsonDiff;
  readonly leaves: readonly string[];
}

interface CanonicalForm {
  readonly tree: unknown;
  readonly text: string;
}

const inputPrefix = '/input';

/** JSON pointers of what redaction replaced in the input; pointers without a part name belong to the input. */
export function redactedInputPointers(recorded: Crossing): string[] {
  const ofOutcome = /^\/(output|error|exchanges|chunks)(\/|$)/;
  return recorded.redacted
    .filter((pointer) => !ofOutcome.test(pointer))
    .map((pointer) => (pointer.startsWith(`${inputPrefix}/`) ? pointer.slice(inputPrefix.length) : pointer));
}

/** One live input, put into canonical form once per policy however many candidates it is compared with. */
export class LiveInput {
  readonly value: EncodedValue;
  private readonly forms = new Map<string, CanonicalForm>();

  constructor(value: EncodedValue) {
    this.value = value;
  }

  /** The canonical form under a recorded crossing's policy and redactions, or undefined for an unknown policy. */
  formFor(recorded: Crossing): CanonicalForm | undefined {
    const redacted = redactedInputPointers(recorded);
    const cacheKey = [recorded.canonicalPolicy, ...redacted].join('\n');
    const known = this.forms.get(cacheKey);
    if (known !== undefined) return known;
    const form = canonicalForm(recorded.canonicalPolicy, payloadTree(this.value.payload), redacted);
    if (form !== undefined) this.forms.set(cacheKey, form);
    return form;
  }
}

function isSame(left: Payload, right: Payload): boolean {
  return left.format === right.format && left.data === right.data;
}

function canonicalForm(policyName: string, input: unknown, redacted: readonly string[]): CanonicalForm | undefined {
  const policy = canonicalPolicy(policyName);
  if (policy === undefined) return undefined;
  const tree = canonicalTree(policy, redacted.length === 0 ? input : withoutValuesAt(input, redacted));
  return { tree, text: canonicalJson(tree) };
}

/** Compares live inputs with recorded ones; canonical forms of the recording are made once. */
export class InputComparer {
  private readonly recordedForms = new Map<string, CanonicalForm | undefined>();

  private recordedForm(recorded: Crossing): CanonicalForm | undefined {
    const { spanId, input } = recorded;
    if (this.recordedForms.has(spanId)) return this.recordedForms.get(spanId);
    const form =
      input?.data === undefined
        ? undefined
        : canonicalForm(recorded.canonicalPolicy, payloadTree(input), redactedInputPointers(recorded));
    this.recordedForms.set(spanId, form);
    return form;
  }

  /** Compares under the policy that the recording names. */
  compare(recorded: Crossing, live: LiveInput): InputComparison {
    const policy = canonicalPolicy(recorded.canonicalPolicy);
    if (policy === undefined) {
      return { type: 'unknown', why: `this version does not know the input policy "${recorded.canonicalPolicy}"` };
    }
    const unverified = redactedInputPointers(recorded);
    const { payload } = live.value;
    if (recorded.input?.data !== undefined && isSame(recorded.input, payload)) return { type: 'equal', unverified };
    const recordedForm = this.recordedForm(recorded);
    if (recordedForm !== undefined) {
      return recordedForm.text === live.formFor(recorded)?.text ? { type: 'equal', unverified } : { type: 'changed' };
    }
    if (recorded.key === undefined) return { type: 'unknown', why: 'its input was not recorded' };
    return canonicalKey(policy, payload) === recorded.key ? { type: 'equal', unverified } : { type: 'changed' };
  }

  /** The bounded list of what differs; asked only once a candidate is chosen. */
  difference(recorded: Crossing, live: LiveInput): InputDifference {
    const recordedForm = this.recordedForm(recorded);
    const liveForm = live.formFor(recorded);
    if (recordedForm === undefined) {
      const entry = { path: '$', recorded: `only its digest was recorded: ${recorded.key ?? 'none'}` };
      return { difference: { entries: [entry], total: 1 }, leaves: changedLeaves(undefined, liveForm?.tree) };
    }
    return {
      difference: diffTrees(recordedForm.tree, liveForm?.tree),
      leaves: changedLeaves(recordedForm.tree, liveForm?.tree),
    };
  }
}
