// An MCP server over stdio with 150 tools, tool_001 to tool_150, for `npm run test:clients`.
import { createInterface } from 'node:readline'

const tools = Array.from({ length: 150 }, (_, index) => ({
  name: `tool_${String(index + 1).padStart(3, '0')}`,
  description: `Tool number ${index + 1}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'many-tools', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name} was called.` }] }),
  ping: () => ({}),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = results[method]
  const error = { code: -32601, message: `There is no ${method}.` }
  const body = answer ? { result: answer(params ?? {}) } : { error }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}
