import { get, request } from 'node:http';
import { text } from 'node:stream/consumers';

const answer = (made) =>
  new Promise((resolve, reject) => {
    made.on('error', reject);
    made.on('response', (response) => text(response).then((body) => resolve([response.statusCode, body]), reject));
  });

export const run = async (address) => [
  await answer(get(`${address}/echo`)),
  await answer(request(`${address}/echo`, { method: 'POST' }).end('shares=1000')),
];
