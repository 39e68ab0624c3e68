import { type Attributes, type Context, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import { ATTR_REENACT_IDENTITY_LATE } from '@reenact/semconv/reenact';
import type { SemconvView } from '../gate/boundary-definition.ts';
import type { RawOutcome } from '../gate/gate.ts';
import { missingIdentity } from '../gate/identity-requirement.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { redactAttributes, redactText } from '../redaction/places/redact-crossing.ts';
import type { RunState } from '../run/crossing-scope.ts';
import { identityAttributes } from '../run/identity.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';
import type { CrossingStart } from './crossing-start.ts';
import { hasFailed, messageOf, typeOf } from './failed-outcome.ts';
import { keepAttributes } from './keep-attributes.ts';
import { uncaughtAttributes, uncaughtStatus } from './uncaught-facts.ts';

type Described = Pick<CrossingStart, 'boundary' | 'parentCrossing' | 'slim' | 'span'>;

/**
 * What is said of a crossing while it goes on, without secrets: `slim` for everybody who sees its span, too, `content` for those who keep
 * recordings. Neither is ever changed in place: what is handed out stays as it was.
 */
export class CrossingDescription {
  slim: Attributes;
  content: Attributes;
  private readonly start: Described;
  private readonly keepsContent: boolean;
  private failure: SpanStatus | undefined;

  /** `content`: what was said as it began. `keepsContent`: whether anybody sees that. */
  constructor(start: Described, content: Attributes, keepsContent: boolean) {
    this.start = start;
    this.keepsContent = keepsContent;
    this.slim = start.slim;
    this.content = keepsContent ? redactAttributes(content) : {};
  }

  /** Adds what has become known; what was said before and is said otherwise now is replaced. */
  add({ slim, content }: SemconvView): void {
    if (content !== undefined && this.keepsContent) {
      this.content = { ...this.content, ...redactAttributes(definedAttributes(content)) };
    }
    if (slim === undefined) return;
    const attributes = redactAttributes(definedAttributes(slim));
    this.slim = { ...this.slim, ...attributes };
    this.start.span?.setAttributes(attributes);
  }

  /** Who the run is for may have become known after this crossing started; what the call itself said wins. */
  sayWhoFor(context: Context, run: RunState): void {
    const identity = identityAttributes(context, run.identity);
    const late = Object.keys(identity).filter((key) => this.slim[key] === undefined);
    if (late.length > 0) this.add({ slim: { ...identity, ...this.slim, [ATTR_REENACT_IDENTITY_LATE]: late } });
    const { requires } = this.start.boundary;
    if (requires !== undefined) this.add({ slim: missingIdentity(requires, this.slim) });
  }

  /** Says that an error which nothing caught has ended its process, also where its outcome is no error: the exit code of a process. */
  endsBy(uncaught: UncaughtError): void {
    // A protocol that knows the kind of error better has said so already.
    const type = this.slim[ATTR_ERROR_TYPE];
    this.add({ slim: { ...uncaughtAttributes(uncaught), ...(type !== undefined && { [ATTR_ERROR_TYPE]: type }) } });
    this.failure = uncaughtStatus(uncaught);
  }

  /** Says what is known once the crossing has an outcome, and gives the status of its span. */
  complete(outcome: RawOutcome, context: Context, run: RunState): SpanStatus {
    this.sayWhoFor(context, run);
    const { boundary, parentCrossing } = this.start;
    // Whoever thins runs out looks at the root of the run in this process.
    if (parentCrossing === undefined && run.keepReason !== undefined)
      this.add({ slim: keepAttributes(run.keepReason) });
    if (!hasFailed(outcome)) {
      // A call may come back and still have failed: an answer with an error status.
      return this.failure ?? { code: ATTR_ERROR_TYPE in this.slim ? SpanStatusCode.ERROR : SpanStatusCode.UNSET };
    }
    // A protocol that knows the kind of error better has said so already.
    this.add({ slim: { [ATTR_ERROR_TYPE]: this.slim[ATTR_ERROR_TYPE] ?? typeOf(outcome.error) } });
    return boundary.capture === 'full'
      ? { code: SpanStatusCode.ERROR, message: redactText(messageOf(outcome.error)) }
      : { code: SpanStatusCode.ERROR };
  }

  /** Holds no content any more. */
  letGo(): void {
    this.content = {};
  }
}
