import { diag } from '@opentelemetry/api';
import { ReenactError } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { HOST_CONTENT_CHARACTERS_MAX } from '../limits.ts';

const words = ['none', 'truncated', 'full'] as const;

/** What the app's own exporters see of messages, arguments and results. The recording is whole whatever is said here. */
export interface HostContentPolicy {
  /** `none`: nothing of it. `truncated`: the beginning of each text. `full`: all of it, after redaction. */
  readonly content: (typeof words)[number];
  /** How many characters of each text `truncated` keeps. Default: HOST_CONTENT_CHARACTERS_MAX. */
  readonly charactersMax?: number;
}

/** What OpenTelemetry's setting for GenAI instrumentations means for spans; Reenact emits no log events. */
const standardSettings: ReadonlyMap<string, HostContentPolicy['content']> = new Map([
  ['', 'none'],
  ['false', 'none'],
  ['0', 'none'],
  ['no_content', 'none'],
  ['event_only', 'none'],
  ['true', 'full'],
  ['1', 'full'],
  ['span_only', 'full'],
  ['span_and_event', 'full'],
]);

/** Those of its values that have a name. */
const standardWords = ['NO_CONTENT', 'SPAN_ONLY', 'EVENT_ONLY', 'SPAN_AND_EVENT', 'true', 'false'] as const;

function isWord(text: string): text is HostContentPolicy['content'] {
  return words.some((word) => word === text);
}

/** The policy an environment asks for. REENACT_HOST_CONTENT wins; what cannot be read means `none`, with a diagnostic message. */
export function hostContentOf(environment: NodeJS.ProcessEnv): HostContentPolicy {
  const own = environment.REENACT_HOST_CONTENT;
  if (own !== undefined && own !== '') {
    if (isWord(own)) return { content: own };
    diag.warn(
      `reenact: REENACT_HOST_CONTENT is ${own}, not one of ${words.join(', ')}; no content is shown to exporters.`,
    );
    return { content: 'none' };
  }
  const given = (environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? '').trim();
  const standard = given.toLowerCase();
  const content = standardSettings.get(standard);
  const isUnknown = content === undefined;
  if (isUnknown || standard === 'event_only') {
    const why = isUnknown
      ? `, not one of ${standardWords.join(', ')}`
      : ': Reenact puts content on spans or nowhere (SPAN_ONLY, SPAN_AND_EVENT)';
    diag.warn(
      `reenact: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is ${given}${why}; no content is shown to exporters.`,
    );
  }
  return { content: content ?? 'none' };
}

let policy: HostContentPolicy | undefined;

/** The policy in force in this process. Never throws. */
export function hostContent(): HostContentPolicy {
  policy ??= guarded('reading the content policy', () => hostContentOf(process.env), { content: 'none' });
  return policy;
}

/**
 * Says what the app's own exporters see of messages, arguments and results, whatever the environment says; undefined goes back to the
 * environment. Takes effect on crossings that start from now on. Throws ReenactError `bad-argument` for a policy that cannot be used.
 */
export function configureHostContent(wanted: HostContentPolicy | undefined): void {
  const { content = 'none', charactersMax = 1 } = wanted ?? {};
  if (!isWord(content) || !Number.isSafeInteger(charactersMax) || charactersMax < 1) {
    throw new ReenactError('bad-argument', 'This content policy cannot be used.', {
      where: JSON.stringify(wanted),
      next: `Give { content } as one of ${words.join(', ')}, and charactersMax as a whole number from 1 on.`,
    });
  }
  policy = wanted === undefined ? undefined : { ...wanted };
}

/** The policy's number of characters. */
export function shownCharacters({ content, charactersMax = HOST_CONTENT_CHARACTERS_MAX }: HostContentPolicy): number {
  switch (content) {
    case 'none':
      return 0;
    case 'truncated':
      return charactersMax;
    case 'full':
      return Number.POSITIVE_INFINITY;
  }
}
