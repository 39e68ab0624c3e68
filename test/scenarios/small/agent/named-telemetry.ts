import { request } from 'node:http';
import { agent, tool } from 'reenact';

// As an app with a client of telemetry that nobody can tell from any other request, and that waits for all it asks its own host.
const { TELEMETRY_URL = '' } = process.env;

async function byFetch(): Promise<string> {
  const limits = await (await fetch(`${TELEMETRY_URL}/info`)).text();
  const body = JSON.stringify({ at: process.hrtime.bigint().toString() });
  const sent = await fetch(`${TELEMETRY_URL}/runs/multipart`, { method: 'POST', body });
  return `${limits} ${sent.status}`;
}

/** Goes on where it is called back, as code without promises does. */
function byRequest(goOn: (status: number | undefined) => Promise<number>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${TELEMETRY_URL}/runs/7`, { method: 'PATCH' }, (response) => {
      response.resume().on('end', () => resolve(goOn(response.statusCode)));
    })
      .on('error', reject)
      .end(process.hrtime.bigint().toString());
  });
}

const look = tool('look', async () => 7);

const run = agent('watched', async () => {
  const end = (told: readonly unknown[]): Promise<number> => {
    console.error(JSON.stringify({ told }));
    return look();
  };
  // Without an address this is the app before somebody gave it a client of telemetry.
  if (TELEMETRY_URL === '') return end([]);
  const sent = await byFetch();
  return byRequest((status) => end([sent, status]));
});

console.log(JSON.stringify(await run()));
