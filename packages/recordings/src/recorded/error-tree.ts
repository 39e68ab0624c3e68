import { isTree, type Payload, payloadTree } from '@reenact/trace-model';

const comparedErrorFields = ['code', 'status', 'type', 'param'] as const;

/** A recorded error as a tree: what an agent's `catch` can tell errors apart by. */
export function errorTree(payload: Payload): unknown {
  return errorRecordTree(payloadTree(payload));
}

/** What an agent's `catch` can tell errors apart by; stacks name machine paths and are left out. */
export function errorRecordTree(tagged: unknown): unknown {
  const record = isTree(tagged) && tagged.$ === 'error' ? tagged.record : tagged;
  if (!isTree(record) || typeof record.class !== 'string') return record;
  const fields = isTree(record.fields) ? record.fields : {};
  const kept = comparedErrorFields.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]);
  return { class: record.class, name: record.name, message: record.message, ...Object.fromEntries(kept) };
}
