// The bridge in a process of its own, for clients that start their server themselves.
import { runStdio } from '#cli/mcp/stdio.ts'

const { BASE_URL = '', API_KEY = '', WITH_WORKFLOWS, WITH_SCHEMAS } = process.env
await runStdio({
  baseUrl: BASE_URL,
  apiKey: API_KEY,
  withWorkflows: WITH_WORKFLOWS === '1',
  withSchemas: WITH_SCHEMAS === '1',
  input: process.stdin,
  output: process.stdout,
  signal: new AbortController().signal,
})
