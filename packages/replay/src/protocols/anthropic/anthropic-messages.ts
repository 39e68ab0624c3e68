import { isTree } from '@reenact/trace-model';
import type { ModelProtocol } from '../model-protocol.ts';
import { editedMessage } from './message-content.ts';
import { messageMeaning, namedPartsOfMessage } from './message-meaning.ts';
import { editedMessageStream } from './message-stream.ts';
import { streamedMessage } from './streamed-message.ts';

/** The API itself, and Vertex AI, which has the same bodies at another address. */
const addresses = /(?:^|\/)messages\/?$|\/publishers\/anthropic\/models\/[^/]+:(?:stream)?rawPredict$/i;
/** OpenAI's assistants have messages, too, and answer with other ones. */
const threads = /\/threads\//;

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Anthropic's messages. */
export const anthropicMessages: ModelProtocol = {
  name: 'anthropic.messages',
  speaks: ({ method, url }) => {
    if (method !== 'POST' || !URL.canParse(url)) return false;
    const { pathname } = new URL(url);
    return addresses.test(pathname) && !threads.test(pathname);
  },
  edit: (body, edit) => {
    if (body.type === 'json') {
      const changed = editedMessage(body.body, edit);
      return changed === undefined ? undefined : { type: 'json', body: changed };
    }
    const blocks = editedMessageStream(body.blocks, edit);
    return blocks === undefined ? undefined : { type: 'events', blocks };
  },
  meaning: (body) => messageMeaning(body.type === 'json' ? body.body : streamedMessage(body.blocks)),
  namedParts: (body) => namedPartsOfMessage(body.type === 'json' ? body.body : streamedMessage(body.blocks)),
  servedModel: (body) => {
    const message = body.type === 'json' ? body.body : streamedMessage(body.blocks);
    if (!isTree(message)) return {};
    return { model: message.model, serviceTier: isTree(message.usage) ? message.usage.service_tier : undefined };
  },
  problem: (status) => ({
    type: 'error',
    error: {
      type: errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: `The plan of this replay answers with status ${status}.`,
    },
  }),
};
