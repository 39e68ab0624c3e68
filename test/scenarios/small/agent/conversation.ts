// One turn of a conversation: a message is received, looked up and answered. MESSAGE says what the customer writes; on a
// replay nobody writes anything, the message comes from the recording. FIX=on changes what is looked up.
import { withIdentity } from 'reenact';
import { answer } from './answerer.ts';

const sessionId = process.env.SESSION;
console.log(await (sessionId === undefined ? answer() : withIdentity({ sessionId }, answer)));
