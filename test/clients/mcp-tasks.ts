// The official client of the Tasks extension follows a run and an image to their ends.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addWorkflow, graph } from '../journeys/runs/setting.ts'
import { startServer } from '../support/server.ts'

const run = promisify(execFile)
const packages = ['@modelcontextprotocol/ext-tasks@0.2.2', '@modelcontextprotocol/client@2.4.0']

/** The client leaves sending to the program that uses it, because the SDK cannot carry tasks yet. */
const program = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'

const { URL: url, KEY: key, TOOL: tool } = process.env
const authorization = 'Bearer ' + key
const protocolVersion = '2026-07-28'
const clientInfo = { name: 'trial', version: '1' }
const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const client = new Client(clientInfo, {
  capabilities: clientCapabilities,
  versionNegotiation: { mode: { pin: protocolVersion } },
})
await client.connect(
  new StreamableHTTPClientTransport(new globalThis.URL(url), { requestInit: { headers: { authorization } } }),
)
const methods = []
const rawDispatch = async (request, { signal } = {}) => {
  methods.push(request.method)
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': request.method,
      'mcp-name': request.params?.name ?? request.params?.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: methods.length, ...request }),
  })
  const text = await response.text()
  const { error, result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  return error ? { kind: 'error', error } : { kind: 'result', result }
}
const v2RequestFraming = { protocolVersion, clientInfo, clientCapabilities }
const session = createTaskSessionFromClient(client, { endpointId: 'trial', rawDispatch, v2RequestFraming })
const use = async (name, args) => {
  const { outcome } = await (await session.callTool(name, args)).settle()
  return resultFromTaskOutcome(outcome).structuredContent.data
}
const messages = [{ role: 'user', content: 'A blue door' }]
const { outputs } = await use(tool, { in: 'hello' })
const { imageContent } = await use('svc_generate_image', { model: 'demo-image', messages })
await session.close()
await client.close()
console.log(JSON.stringify({ outputs, images: imageContent.length, methods: [...new Set(methods)] }))
`

type TasksTrial = { outputs: unknown; images: number; methods: string[] }

/** Installs the client into a temporary folder. */
export async function tryMcpTasks(): Promise<TasksTrial> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-mcp-tasks-'))
  await using server = await startServer()
  try {
    const echo = graph(
      [
        { id: 'in', type: 'input.text' },
        { id: 'o', type: 'output' },
      ],
      ['in -> o'],
    )
    const env = {
      ...process.env,
      URL: `${server.url}/mcp?workflows=1`,
      KEY: server.ownerKey,
      TOOL: `echo_${await addWorkflow(server, echo, 'echo')}`,
    }
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder })
    const file = join(folder, 'use.mjs')
    await writeFile(file, program)
    const { stdout } = await run(process.execPath, [file], { env, timeout: 60_000 })
    const trial = JSON.parse(stdout) as TasksTrial
    assert.deepEqual(trial.outputs, { o: 'hello' })
    assert.equal(trial.images, 1)
    assert.deepEqual(trial.methods, ['tools/call', 'tasks/get'])
    return trial
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
