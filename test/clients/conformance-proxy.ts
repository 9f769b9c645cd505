import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { addWorkflow, graph } from '../journeys/runs/setting.ts'
import type { TestServer } from '../support/server.ts'

type Call = { name: string; arguments?: Record<string, unknown> }

/** Stands before a server, and is what its workflows call: an address that takes its time. */
export async function startConformanceProxy() {
  let target: { server: TestServer; workflowId: number } | undefined
  const host = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://proxy')
    if (pathname === '/slow') {
      setTimeout(() => response.end('{}'), Number(searchParams.get('seconds')) * 1000)
    } else if (pathname === '/fail') response.writeHead(500).end()
    else if (target) forward(target, incoming, response, await buffer(incoming))
  })
  await new Promise<void>((resolve) => void host.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  return {
    url,
    async forwardTo(server: TestServer) {
      target = { server, workflowId: await addWorkflow(server, threeSteps(url), 'steps') }
    },
    async [Symbol.asyncDispose]() {
      host.closeAllConnections()
      host.close()
    },
  }
}

/** Three requests, one after the other. */
const threeSteps = (url: string) => {
  const step = (id: string) => ({
    id,
    type: 'http.request',
    data: { method: 'POST', url: `${url}/{{path}}?seconds={{seconds}}` },
  })
  return graph(
    [
      { id: 'vars', type: 'input.json' },
      step('a'),
      step('b'),
      step('c'),
      { id: 'out', type: 'output' },
    ],
    [
      'vars -> a.vars',
      'vars -> b.vars',
      'vars -> c.vars',
      'a.body -> b.body',
      'b.body -> c.body',
      'c.body -> out',
    ],
  )
}

function forward(
  { server, workflowId }: { server: TestServer; workflowId: number },
  incoming: IncomingMessage,
  response: ServerResponse,
  sent: Buffer,
) {
  const steps = (vars: object) => ({ name: `steps_${workflowId}`, arguments: { vars } })
  const substitutes: Record<string, (args: { seconds?: number }) => Call> = {
    greet: () => ({ name: 'svc_list_models' }),
    test_simple_text: () => ({ name: 'svc_list_models' }),
    test_error_handling: () => ({ name: 'svc_get_task' }),
    test_tool_with_progress: () => steps({ path: 'slow', seconds: 1.5 }),
    slow_compute: ({ seconds = 0 }) => steps({ path: 'slow', seconds: seconds / 3 }),
    failing_job: () => steps({ path: 'fail', seconds: 0 }),
  }
  const headers: NodeJS.Dict<string | string[]> = {
    ...incoming.headers,
    authorization: `Bearer ${server.ownerKey}`,
  }
  const message = sent.length > 0 ? parse(sent) : undefined
  const params = message?.method === 'tools/call' ? message.params : undefined
  const substitute = params && substitutes[params.name]?.(params.arguments ?? {})
  if (params && substitute) {
    if (headers['mcp-name'] === params.name) headers['mcp-name'] = substitute.name
    Object.assign(params, { arguments: {} }, substitute)
  }
  const body = substitute ? Buffer.from(JSON.stringify(message)) : sent
  if (body.length > 0) headers['content-length'] = String(body.length)
  delete headers['transfer-encoding']
  const { method } = incoming
  const outgoing = request(`${server.url}/mcp?workflows=1`, { method, headers }, (answer) => {
    assert.ok(answer.statusCode)
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  outgoing.once('error', () => response.destroy())
  response.once('close', () => outgoing.destroy())
  outgoing.end(body)
}

/** Undefined for what the suite sends to see it refused. */
function parse(body: Buffer): { method?: string; params?: Call } | undefined {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
