export const run = async (address) => {
  const response = await fetch(`${address}/echo`, { method: 'POST', body: 'shares=1000' });
  const limited = await fetch(`${address}/limited`);
  return { status: response.status, body: await response.json(), limited: [limited.status, await limited.text()] };
};
