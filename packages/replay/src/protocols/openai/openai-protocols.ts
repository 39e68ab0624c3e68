import { isTree } from '@reenact/trace-model';
import { type EventBlock, eventJson } from '../event-blocks.ts';
import type { AnswerBody, AnswerEdit, ModelProtocol, ServedModel } from '../model-protocol.ts';
import {
  assembledChat,
  chatMeaning,
  namedPartsOfChat,
  namedPartsOfResponse,
  responseMeaning,
} from './answer-meaning.ts';
import { editedChatCompletion } from './chat-answer.ts';
import { editedChatStream } from './chat-stream.ts';
import { editedResponse } from './response-answer.ts';
import { editedResponseStream, finalResponse } from './response-stream.ts';

function speaksAt(suffix: RegExp): ModelProtocol['speaks'] {
  return ({ method, url }) => method === 'POST' && URL.canParse(url) && suffix.test(new URL(url).pathname);
}

function edited(
  body: AnswerBody,
  edit: AnswerEdit,
  ofJson: (body: unknown, edit: AnswerEdit) => unknown,
  ofEvents: (blocks: readonly EventBlock[], edit: AnswerEdit) => EventBlock[] | undefined,
): AnswerBody | undefined {
  if (body.type === 'json') {
    const changed = ofJson(body.body, edit);
    return changed === undefined ? undefined : { type: 'json', body: changed };
  }
  const blocks = ofEvents(body.blocks, edit);
  return blocks === undefined ? undefined : { type: 'events', blocks };
}

function servedBy(document: unknown): ServedModel {
  if (!isTree(document)) return {};
  const { model, system_fingerprint: systemFingerprint, service_tier: serviceTier } = document;
  return { model, systemFingerprint, serviceTier };
}

/** The error body of OpenAI's API; the client's error carries its message, type and code. */
function problem(status: number): unknown {
  const known: Readonly<Record<number, readonly [type: string, code: string]>> = {
    401: ['invalid_request_error', 'invalid_api_key'],
    404: ['invalid_request_error', 'model_not_found'],
    429: ['requests', 'rate_limit_exceeded'],
  };
  const [type, code] = known[status] ?? [status >= 500 ? 'server_error' : 'invalid_request_error', null];
  return { error: { message: `The plan of this replay answers with status ${status}.`, type, param: null, code } };
}

/** OpenAI's chat completions, also as other providers speak them. */
export const openAiChat: ModelProtocol = {
  name: 'openai.chat',
  speaks: speaksAt(/(?:^|\/)chat\/completions\/?$/),
  edit: (body, edit) => edited(body, edit, editedChatCompletion, editedChatStream),
  meaning: (body) => chatMeaning(body.type === 'json' ? body.body : assembledChat(body.blocks)),
  namedParts: (body) => namedPartsOfChat(body.type === 'json' ? body.body : assembledChat(body.blocks)),
  servedModel: (body) => {
    if (body.type === 'json') return servedBy(body.body);
    const chunks = body.blocks.map(eventJson).filter(isTree);
    // What a member is, the first chunk that has it says.
    const first = (key: string): unknown =>
      chunks.find((chunk) => chunk[key] !== undefined && chunk[key] !== null)?.[key];
    return servedBy({
      model: first('model'),
      system_fingerprint: first('system_fingerprint'),
      service_tier: first('service_tier'),
    });
  },
  problem,
};

/** OpenAI's responses. */
export const openAiResponses: ModelProtocol = {
  name: 'openai.responses',
  speaks: speaksAt(/(?:^|\/)responses\/?$/),
  edit: (body, edit) => edited(body, edit, editedResponse, editedResponseStream),
  meaning: (body) => responseMeaning(body.type === 'json' ? body.body : finalResponse(body.blocks)),
  namedParts: (body) => namedPartsOfResponse(body.type === 'json' ? body.body : finalResponse(body.blocks)),
  servedModel: (body) => servedBy(body.type === 'json' ? body.body : finalResponse(body.blocks)),
  problem,
};
