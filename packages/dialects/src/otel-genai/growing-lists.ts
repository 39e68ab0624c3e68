/** Lists that are remembered: agents of one run take turns. */
const LISTS_MAX = 4;

/** Characters of all lists that are remembered, which hold some three times as much memory, read. */
const LISTS_CHARACTERS_MAX = 1024 * 1024;

interface KnownList<Member> {
  readonly text: string;
  readonly members: readonly Member[];
}

/**
 * Reads JSON lists that go on where one before ended, as each step of an agent sends the whole conversation again: what both have is read once, and is
 * the same objects in both, which nobody may change.
 */
export class GrowingLists<Member> {
  private readonly toMember: (value: unknown) => Member;
  private known: readonly KnownList<Member>[] = [];

  constructor(toMember: (value: unknown) => Member) {
    this.toMember = toMember;
  }

  /** The members of a list; undefined where the text is none. */
  read(text: string): readonly Member[] | undefined {
    const before = this.known.find((list) => isBeginning(list.text, text));
    if (before?.text.length === text.length) return before.members;
    const members = (before === undefined ? undefined : this.continued(before, text)) ?? this.whole(text);
    if (members !== undefined && members.length > 0) this.remember({ text, members }, before);
    return members;
  }

  private whole(text: string): readonly Member[] | undefined {
    return parsedList(text)?.map((value) => this.toMember(value));
  }

  /** Undefined where what follows is no list by itself: then the whole is none either. */
  private continued(before: KnownList<Member>, text: string): readonly Member[] | undefined {
    const following = parsedList(`[${text.slice(before.text.length)}`);
    if (following === undefined || following.length === 0) return undefined;
    return [...before.members, ...following.map((value) => this.toMember(value))];
  }

  private remember(list: KnownList<Member>, instead: KnownList<Member> | undefined): void {
    let characters = 0;
    const lists = [list, ...this.known.filter((known) => known !== instead)];
    this.known = lists.slice(0, LISTS_MAX).filter(({ text }) => {
      characters += text.length;
      return characters <= LISTS_CHARACTERS_MAX;
    });
  }
}

function parsedList(text: string): readonly unknown[] | undefined {
  try {
    const tree: unknown = JSON.parse(text);
    return Array.isArray(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a list is the other one, or all before its end, and a comma, are how the other one begins. */
function isBeginning(list: string, text: string): boolean {
  if (!list.endsWith(']') || list.length > text.length) return false;
  if (list.length === text.length) return list === text;
  return text.charAt(list.length - 1) === ',' && text.startsWith(list.slice(0, -1));
}
