import { z } from 'zod';
import { API_PREFIX, apiErrorSchema } from './api-error.ts';
import { API_OPERATIONS, type ApiOperation } from './api-operations.ts';
import { replayabilitySchema, runSummarySchema } from './run-summary.ts';
import { costSchema, modelUsageSchema } from './token-usage.ts';

const ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'A trace id (32 hex digits), or the id of any of its spans (16).',
  schema: { type: 'string', pattern: '^([0-9a-fA-F]{16}|[0-9a-fA-F]{32})$' },
} as const;

const SPAN_ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'A span id (16 hex digits).',
  schema: { type: 'string', pattern: '^[0-9a-fA-F]{16}$' },
} as const;

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that was read.',
  schema: { type: 'string' },
} as const;

const ERRORS = {
  '400': 'A parameter is unknown or cannot be used.',
  '401': 'No token, or one that is not known.',
  '403': 'The token may not be used for this.',
  '405': 'Something else than GET or HEAD was sent to this address, which answers to nothing else; Allow names them.',
  '431': 'The request is too large in its address and headers together.',
  '500': 'A defect of the collector, whose log says more.',
  '503': 'Too much at the moment; see Retry-After.',
} as const;

/** What several answers hold, described once. */
const COMPONENTS: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [apiErrorSchema, 'Error'],
  [runSummarySchema, 'RunSummary'],
  [replayabilitySchema, 'Replayability'],
  [modelUsageSchema, 'ModelUsage'],
  [costSchema, 'Cost'],
]);

function jsonSchema(type: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    io,
    override: ({ zodSchema, jsonSchema: written }) => {
      const component = COMPONENTS.get(zodSchema);
      if (component === undefined || component === COMPONENTS.get(type)) return;
      for (const key of Object.keys(written)) Reflect.deleteProperty(written, key);
      written.$ref = `#/components/schemas/${component}`;
    },
  });
  return schema;
}

function componentSchemas(): Record<string, object> {
  return Object.fromEntries([...COMPONENTS].map(([type, name]) => [name, jsonSchema(type as z.ZodType, 'output')]));
}

function queryParameters({ parameters }: ApiOperation): object[] {
  return Object.entries(parameters.shape).map(([name, type]) => {
    const { description, ...schema } = jsonSchema(type, 'input');
    return { name, in: 'query', required: !type.safeParse(undefined).success, description, schema };
  });
}

function errorAnswer(description: string): object {
  const schema = { $ref: '#/components/schemas/Error' };
  return { description, content: { 'application/json': { schema } } };
}

function describeOperation(id: string, operation: ApiOperation): object {
  const takesId = operation.path.endsWith('/');
  const parameters = [
    ...(takesId ? [operation.idOf === 'span' ? SPAN_ID_PARAMETER : ID_PARAMETER] : []),
    ...queryParameters(operation),
    ...(operation.answerType === 'text/event-stream' ? [LAST_EVENT_ID] : []),
  ];
  const content = { [operation.answerType]: { schema: jsonSchema(operation.answer, 'output') } };
  const errors = { ...ERRORS, ...(takesId ? { '404': 'Nothing is stored under the id.' } : {}), ...operation.refusals };
  return {
    operationId: id,
    summary: operation.summary,
    parameters,
    responses: {
      '200': { description: operation.summary, content },
      ...Object.fromEntries(Object.entries(errors).map(([status, text]) => [status, errorAnswer(text)])),
    },
  };
}

/** The API as an OpenAPI 3.1 document, made of the schemas that the server checks with. */
export function openApiDocument(): object {
  const paths = Object.entries<ApiOperation>(API_OPERATIONS).map(([id, operation]) => {
    const path = `${API_PREFIX}${operation.path}${operation.path.endsWith('/') ? '{id}' : ''}`;
    return [path, { get: describeOperation(id, operation) }] as const;
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reenact collector',
      version: '1',
      description:
        'Reads what the collector keeps. Within version 1 parameters, members and events are only added: readers ignore what they do not know.',
    },
    security: [{}, { token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token with the scope read.' } },
      schemas: componentSchemas(),
    },
  };
}
