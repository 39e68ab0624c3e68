/** What the application does with whichever copy of undici it has loaded; everything it gives is JSON. */
export async function act(undici, address) {
  const sent = await undici.request(`${address}/echo`, { method: 'POST', body: 'shares=1000' });
  const client = new undici.Client(address);
  const limited = await client.request({ path: '/limited', method: 'GET' });
  const said = [limited.statusCode, limited.headers, await limited.body.text()];
  await client.close();
  const fetched = await undici.fetch(`${address}/stream`);
  return {
    sent: await sent.body.json(),
    said,
    isOwnClass: fetched instanceof undici.Response,
    text: await fetched.text(),
  };
}
