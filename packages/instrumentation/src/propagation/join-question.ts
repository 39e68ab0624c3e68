import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import { runInContext } from '../host/run-in-context.ts';
import { ownTelemetryContext } from '../host/telemetry-context.ts';
import { JOIN_QUESTION_MS_MAX } from '../limits.ts';

/** The gRPC method of the same question; no server has it but those that take part. */
export const JOIN_QUESTION_METHOD = '/reenact.Join/Ask';

/** Header of the question whether whoever answers takes part in a replay; its value is a token for a position. */
export const JOIN_QUESTION_HEADER = 'reenact-join';

/** Header of the answer: what only a process that takes part can say. */
export const JOIN_PROOF_HEADER = 'reenact-joined';

/** Told why nothing answered, in the words of the transport. */
export type QuestionFailed = (why: string) => void;

function proofIn(headers: IncomingHttpHeaders): string | undefined {
  const proof = headers[JOIN_PROOF_HEADER];
  return typeof proof === 'string' ? proof : undefined;
}

function send(url: URL, token: string, failed: QuestionFailed | undefined): Promise<string | undefined> {
  // Not imported: see `platform-http.ts` of the HTTP instrumentation.
  const { request } = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  return new Promise((resolve) => {
    const headers = { [JOIN_QUESTION_HEADER]: token };
    const question = request(url, { method: 'OPTIONS', headers, agent: false, timeout: JOIN_QUESTION_MS_MAX });
    question.on('response', (response) => {
      response.resume();
      resolve(proofIn(response.headers));
    });
    question.on('timeout', () => question.destroy(new Error(`no answer within ${JOIN_QUESTION_MS_MAX} ms`)));
    question.on('error', ({ message }) => {
      failed?.(message);
      resolve(undefined);
    });
    question.on('close', () => resolve(undefined));
    question.end();
  });
}

/** Sends the question over a session of its own, which is closed when that is answered. */
function sendOver(session: ClientHttp2Session, url: URL, token: string, failed: QuestionFailed | undefined) {
  return new Promise<string | undefined>((resolve) => {
    const fail = ({ message }: Error): void => failed?.(message);
    session.on('error', fail);
    const path = `${url.pathname}${url.search}`;
    const headers = { ':method': 'OPTIONS', ':path': path, [JOIN_QUESTION_HEADER]: token };
    const question = session.request(headers, { endStream: true });
    question.on('response', (answered) => resolve(proofIn(answered)));
    question.setTimeout(JOIN_QUESTION_MS_MAX, () => {
      failed?.(`no answer within ${JOIN_QUESTION_MS_MAX} ms`);
      question.destroy();
    });
    // What made it fail its session tells, or it was turned away.
    question.on('error', () => undefined);
    question.on('close', () => {
      session.destroy();
      resolve(undefined);
    });
    question.resume();
  });
}

/**
 * Asks what answers at an address whether it takes part in the replay of a token, with an OPTIONS request that changes nothing
 * there. Resolves with what it says, to be verified, or undefined: a service that knows nothing of it answers as to any OPTIONS
 * request. Never rejects.
 */
export function askToJoin(url: URL, token: string, failed?: QuestionFailed): Promise<string | undefined> {
  // Outside every replay: the question is ours, and no crossing of the agent's.
  return runInContext(ownTelemetryContext(), () => send(url, token, failed));
}

/**
 * The same question by HTTP/2. `connect` opens the session it goes over, which is closed with the answer; an error of it is told. Never
 * rejects.
 */
export async function askToJoinOver(
  connect: () => ClientHttp2Session,
  url: URL,
  token: string,
  failed?: QuestionFailed,
): Promise<string | undefined> {
  try {
    return await runInContext(ownTelemetryContext(), () => sendOver(connect(), url, token, failed));
  } catch (error) {
    failed?.(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
