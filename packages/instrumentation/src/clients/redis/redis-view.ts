import { ATTR_DB_OPERATION_NAME, ATTR_DB_SYSTEM_NAME } from '@reenact/semconv/core';
import type { ClientCall, ClientCallView } from '../object/client-definition.ts';
import { redisCommand } from './redis-effect.ts';

/** The semconv view of a Redis command: its name; keys and values are payload. */
export function redisView({ method }: ClientCall): ClientCallView {
  const operation = redisCommand(method).toUpperCase();
  return { name: operation, slim: { [ATTR_DB_SYSTEM_NAME]: 'redis', [ATTR_DB_OPERATION_NAME]: operation } };
}
