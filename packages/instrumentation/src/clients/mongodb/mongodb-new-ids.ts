import type { AnsweredCall } from '../object/answered-call.ts';

type Document = Record<string, unknown>;

function memberOf(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null ? (Reflect.get(holder, key) as unknown) : undefined;
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null;
}

/** The documents that a call inserts, by their place among what it was given. */
function insertedBy({ method, parameters: [given] }: AnsweredCall): readonly (readonly [number, Document])[] {
  const listed: readonly unknown[] = Array.isArray(given) ? given : [given];
  const found = method === 'bulkWrite' ? listed.map(insertOf) : listed;
  return found.flatMap((document, index) => (isDocument(document) ? [[index, document] as const] : []));
}

function insertOf(operation: unknown): unknown {
  const insert = memberOf(operation, 'insertOne');
  return memberOf(insert, 'document') ?? insert;
}

/** Whether ids are left to the server. */
function isForced({ parameters: [, options], memberOf: member }: AnsweredCall): boolean {
  const database = memberOf(member('s'), 'db') ?? member('db');
  const forced =
    memberOf(options, 'forceServerObjectId') ?? memberOf(memberOf(database, 'options'), 'forceServerObjectId');
  return forced === true;
}

/** Those that were given an id in a replay. */
const identified = new WeakSet<Document>();

/**
 * Gives documents without an `_id` one, on themselves, as the driver does before it sends them: an application reads it there. Called
 * inside the crossing, where the driver drew it.
 */
export function giveIds(call: AnsweredCall): void {
  const factory = memberOf(call.memberOf('s'), 'pkFactory');
  const createPk = memberOf(factory, 'createPk');
  if (typeof createPk !== 'function' || isForced(call)) return;
  for (const [, document] of insertedBy(call)) {
    if (document._id !== undefined && document._id !== null) continue;
    document._id = Reflect.apply(createPk, factory, []) as unknown;
    identified.add(document);
  }
}

/** The ids that the server was given, for the same documents. Of recordings whose drawn ids were not kept. */
export function takeRecordedIds(result: unknown, call: AnsweredCall): unknown {
  const ids = memberOf(result, 'insertedIds') ?? { 0: memberOf(result, 'insertedId') };
  for (const [index, document] of insertedBy(call)) {
    const id = memberOf(ids, String(index));
    if (id !== undefined && identified.has(document)) document._id = id;
  }
  return result;
}
