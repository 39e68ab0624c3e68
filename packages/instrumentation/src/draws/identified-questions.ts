import { types } from 'node:util';
import { ANSWERS_MAX } from '../limits.ts';

/** Under which name what is said to a question stands in `reenact.draws`: those with an id are counted from 0, in the order in which the code of a crossing asks them. */
export function repliesKey(ordinal: number): string {
  return `replies ${ordinal}`;
}

const NAMED_AS_ID = /^(?:id|uid|uuid|guid|seq|nonce)$|[a-z\d](?:I[dD]|Uid|Uuid|UUID)$|_u?id$/u;
const ID_CHARACTERS_MAX = 128;

/** What tells a message apart from others: its own members that are named as ids. A getter is not called: who posts the message would see it. */
function idsIn(message: unknown): string[] {
  if (typeof message !== 'object' || message === null || types.isProxy(message)) return [];
  if (Array.isArray(message) || ArrayBuffer.isView(message)) return [];
  return Object.keys(message)
    .filter((name) => NAMED_AS_ID.test(name))
    .flatMap((name) => {
      const value: unknown = Object.getOwnPropertyDescriptor(message, name)?.value;
      const isId = typeof value === 'string' ? value.length <= ID_CHARACTERS_MAX : Number.isSafeInteger(value);
      return isId ? [`${name} ${typeof value} ${value}`] : [];
    });
}

/**
 * What code asked over channels by messages with an id, which what is said to them carries as well. An id that two questions have is none: a wrong match would put what is said where it was
 * not.
 */
export class IdentifiedQuestions<Question> {
  /** By place, channel and id; `null`: two questions have it. */
  private readonly known = new WeakMap<object, WeakMap<object, Map<string, Question | null>>>();

  /** Code of a place asks. `asking` gives what is kept of the question; it is called where the message has an id. */
  asked(place: object, channel: object, message: unknown, asking: () => Question | undefined): void {
    const ids = idsIn(message);
    const question = ids.length === 0 ? undefined : asking();
    if (question === undefined) return;
    const channels = this.known.get(place) ?? new WeakMap<object, Map<string, Question | null>>();
    const questions = channels.get(channel) ?? new Map<string, Question | null>();
    this.known.set(place, channels.set(channel, questions));
    // Also where no more are kept: one that is known would else stand for both.
    for (const id of ids) {
      if (questions.has(id)) questions.set(id, null);
      else if (questions.size < ANSWERS_MAX) questions.set(id, question);
    }
  }

  /** The only question of these places that a message which has come is said to; undefined where none is, or more than one may be. */
  answeredBy(places: Iterable<object>, channel: object, message: unknown): Question | undefined {
    const asked = [...places].flatMap((place) => this.known.get(place)?.get(channel) ?? []);
    if (asked.length === 0) return undefined;
    const found = new Set<Question>();
    for (const id of idsIn(message)) {
      const withId = asked.filter((questions) => questions.has(id)).map((questions) => questions.get(id) ?? null);
      const [only = null] = withId;
      if (only !== null && withId.length === 1) found.add(only);
    }
    return found.size === 1 ? [...found][0] : undefined;
  }
}
