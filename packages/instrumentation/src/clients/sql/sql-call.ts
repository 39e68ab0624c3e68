import { ATTR_DB_OPERATION_NAME, ATTR_DB_QUERY_TEXT, ATTR_DB_SYSTEM_NAME } from '@reenact/semconv/core';
import type { Effect } from '@reenact/trace-model';
import { definedAttributes } from '../../gate/span-attributes.ts';
import type { ClientCall, ClientCallView } from '../object/client-definition.ts';
import { statementEffect, statementVerb, statementVerbs } from './statement-effect.ts';

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  // Query objects of pg (`text`) and mysql2 (`sql`).
  const text: unknown = Reflect.get(value, 'text') ?? Reflect.get(value, 'sql');
  return typeof text === 'string' ? text : undefined;
}

/** The SQL text of a call: its first argument, or what the statement it is called on was prepared with. */
function statementOf({ parameters, steps }: ClientCall): string | undefined {
  const prepared = steps.find(([method]) => method === 'prepare');
  return textOf(prepared === undefined ? parameters[0] : prepared[1][0]);
}

/** Effect of a call by the verbs of its SQL text; `write` where it has none. */
export function sqlEffect(call: ClientCall): Effect {
  const text = statementOf(call);
  return text === undefined ? 'write' : statementEffect(text);
}

/** Whether one of the statements in the SQL text of a call begins with this word. */
export function hasStatement(call: ClientCall, verb: string): boolean {
  return statementVerbs(statementOf(call) ?? '').includes(verb);
}

/** The semconv view of SQL calls: the text is content, which only the recording holds. */
export function sqlView(system: string): (call: ClientCall) => ClientCallView {
  return (call) => {
    const text = statementOf(call);
    const verb = text === undefined ? undefined : statementVerb(text);
    return {
      name: verb ?? `${system} ${call.method}`,
      slim: definedAttributes({ [ATTR_DB_SYSTEM_NAME]: system, [ATTR_DB_OPERATION_NAME]: verb }),
      content: definedAttributes({ [ATTR_DB_QUERY_TEXT]: text }),
    };
  };
}
