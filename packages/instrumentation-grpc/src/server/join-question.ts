import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { answerToJoin, JOIN_PROOF_HEADER, JOIN_QUESTION_HEADER, JOIN_QUESTION_METHOD } from '@reenact/instrumentation';

/** UNAVAILABLE. */
const unavailable = 14;

function answer(stream: ServerHttp2Stream, proof: string | undefined): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-status': proof === undefined ? unavailable : 0,
      ...(proof === undefined ? {} : { [JOIN_PROOF_HEADER]: proof }),
    },
    { endStream: true },
  );
}

/**
 * Answers the question whether this process takes part in a replay, where it does and the position in it counts. False: it is no such
 * question, and the server's to answer.
 */
export function answersJoinQuestion(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
  const token = headers[JOIN_QUESTION_HEADER];
  if (headers[':path'] !== JOIN_QUESTION_METHOD || typeof token !== 'string') return false;
  const answered = answerToJoin(token);
  if (answered === undefined) return false;
  // Whoever asked may go away meanwhile, and there is nobody to tell.
  stream.on('error', () => undefined);
  stream.resume();
  void answered.proof.then((proof) => answer(stream, proof));
  return true;
}
