const send = globalThis.fetch;

exports.run = async (address) => {
  const response = await send(`${address}/echo`, { method: 'POST', body: 'shares=1000' });
  return { status: response.status, body: await response.json() };
};
