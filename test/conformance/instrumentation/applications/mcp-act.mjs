/** What the application does with whichever copy of the SDK it has loaded; everything it gives is JSON. */
export async function act(client, transport, McpError) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const sum = await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } });
  const failed = await client.callTool({ name: 'fail' });
  const error = await client.readResource({ uri: 'nothing://here' }).catch((thrown) => thrown);
  await client.close();
  return { tools, sum, failed, isOwnClass: error instanceof McpError, code: error.code };
}
