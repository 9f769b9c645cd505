// The official clients of both generations, over both transports, behind one shape.
import { fileURLToPath } from 'node:url'
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Body } from '../../../support/server.ts'

export type Target = {
  url: string
  key: string
  withWorkflows?: boolean
  withSchemas?: boolean
  /** How requests over HTTP are sent. */
  fetch?: typeof fetch
}
type Progress = { progress: number; total?: number | undefined; message?: string | undefined }

export type McpClient = AsyncDisposable & {
  /** One page. */
  list(cursor?: string): Promise<{ tools: Body[]; nextCursor?: string | undefined }>
  call(
    name: string,
    args?: object,
    options?: {
      onProgress?: (progress: Progress) => void
      signal?: AbortSignal
      meta?: Record<string, unknown>
    },
  ): Promise<Result>
  protocolVersion(): string | undefined
}

export type Result = { isError?: boolean; structuredContent: Body; content: Body[] }

const identity = { name: 'test', version: '1.0.0' }
const bridge = fileURLToPath(new URL('./bridge-process.ts', import.meta.url))

function addressOf({ url, withWorkflows, withSchemas }: Target) {
  const address = new URL(`${url}/mcp`)
  if (withWorkflows) address.searchParams.set('workflows', '1')
  if (withSchemas) address.searchParams.set('schemas', '1')
  return address
}
const sendingOf = ({ key, fetch }: Target) => ({
  requestInit: { headers: { authorization: `Bearer ${key}` } },
  ...(fetch ? { fetch } : {}),
})
const processOf = ({ url, key, withWorkflows, withSchemas }: Target) => ({
  command: process.execPath,
  args: [bridge],
  env: {
    PATH: process.env.PATH ?? '',
    BASE_URL: url,
    API_KEY: key,
    ...(withWorkflows ? { WITH_WORKFLOWS: '1' } : {}),
    ...(withSchemas ? { WITH_SCHEMAS: '1' } : {}),
  },
})

/** How agents connect: generation of the protocol and transport. */
export const connections: Record<string, (target: Target) => Promise<McpClient>> = {
  '2026 over HTTP': (target) =>
    newer(new StreamableHTTPClientTransport(addressOf(target), sendingOf(target))),
  '2025 over HTTP': (target) =>
    // The package's own transport has a narrower type than its client accepts.
    older(new OldHttp(addressOf(target), sendingOf(target)) as OldTransport),
  '2026 over stdio': (target) => newer(new StdioClientTransport(processOf(target))),
  '2025 over stdio': (target) => older(new OldStdio(processOf(target))),
}

export const connect = (target: Target): Promise<McpClient> =>
  newer(new StreamableHTTPClientTransport(addressOf(target), sendingOf(target)))

async function newer(transport: Parameters<NewClient['connect']>[0]): Promise<McpClient> {
  const client = new NewClient(identity, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  await client.connect(transport)
  return {
    // The client reads all pages unless it is asked for one.
    list: (cursor) =>
      client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }),
    call: async (name, args = {}, { onProgress, signal, meta } = {}) =>
      (await client.callTool(
        { name, arguments: { ...args }, ...(meta ? { _meta: meta } : {}) },
        { ...(onProgress ? { onprogress: onProgress } : {}), ...(signal ? { signal } : {}) },
      )) as Result,
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function older(transport: OldTransport): Promise<McpClient> {
  const client = new OldClient(identity)
  let version: string | undefined
  const { setProtocolVersion } = transport
  transport.setProtocolVersion = (negotiated) => {
    version = negotiated
    setProtocolVersion?.call(transport, negotiated)
  }
  await client.connect(transport)
  return {
    list: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
    call: async (name, args = {}, { onProgress, signal, meta } = {}) =>
      (await client.callTool(
        { name, arguments: { ...args }, ...(meta ? { _meta: meta } : {}) },
        undefined,
        { ...(onProgress ? { onprogress: onProgress } : {}), ...(signal ? { signal } : {}) },
      )) as unknown as Result,
    protocolVersion: () => version,
    [Symbol.asyncDispose]: () => client.close(),
  }
}
