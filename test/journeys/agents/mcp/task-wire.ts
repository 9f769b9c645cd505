// The Tasks extension as it looks on the wire, because no official client of ours speaks it yet.
import type { Body } from '../../../support/server.ts'

const version = '2026-07-28'
export const knowing = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

export type Caller = { url: string; key: string; capabilities?: object }

/** Sends one request, which declares what its client knows, and returns the answer. */
export async function send(caller: Caller, method: string, params: Body = {}): Promise<Body> {
  const response = await fetch(`${caller.url}/mcp?workflows=1`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...('name' in params || 'taskId' in params
        ? { 'mcp-name': params.name ?? params.taskId }
        : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': caller.capabilities ?? knowing,
        },
      },
    }),
  })
  const text = await response.text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}
