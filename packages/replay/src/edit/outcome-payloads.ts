import { isTree, type Payload, payloadOf } from '@reenact/trace-model';

/** A payload of a tree in the tagged form of docs/adr/0004; what holds no tag is plain JSON. */
export function payloadOfTree(tree: unknown): Payload {
  const text = JSON.stringify(tree) ?? 'null';
  return payloadOf(text.includes('"$":') ? 'js' : 'json', text);
}

const recordMembers = ['class', 'name', 'message', 'stack'] as const;

/** An error as a plan writes it: a message, or its members; the class is what the agent's `instanceof` sees. */
export function errorTreeOf(written: unknown, fallback: { readonly class: string; readonly message: string }): unknown {
  // Already in the tagged form, as `replay({ edit })` gives a thrown Error.
  if (isTree(written) && written.$ === 'error') return written;
  const members = isTree(written) ? written : { message: written };
  const { fields: _fields, ...direct } = members as Record<string, unknown>;
  const own = Object.entries({ ...direct, ...(isTree(members.fields) ? members.fields : {}) }).filter(
    ([key, value]) => !(recordMembers as readonly string[]).includes(key) && value !== undefined,
  );
  const name = typeof members.class === 'string' ? members.class : fallback.class;
  const record = {
    class: name,
    name: typeof members.name === 'string' ? members.name : name,
    message: typeof members.message === 'string' ? members.message : fallback.message,
    ...(own.length === 0 ? {} : { fields: Object.fromEntries(own) }),
  };
  return { $: 'error', record };
}
