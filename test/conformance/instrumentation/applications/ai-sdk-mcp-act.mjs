/** What the application does over whichever transport it has loaded; everything it gives is JSON. */
export async function act(createMCPClient, transport) {
  const client = await createMCPClient({ transport });
  const { tools } = await client.listTools();
  const sum = await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } });
  const failed = await client.callTool({ name: 'fail', arguments: {} });
  const error = await client.readResource({ uri: 'nothing://here' }).catch((thrown) => thrown);
  await client.close();
  return { tools, sum, failed, name: error.name, code: error.code };
}
