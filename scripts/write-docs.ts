// Generates the documentation that follows from the code. With `--check` it only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toolList } from '../src/agents/tools/tool-list.ts'
import { consoleOperations } from '../src/api/console/registry.ts'
import { operations } from '../src/api/public/registry.ts'
import { variables } from '../src/config.ts'
import { errorTable, recordErrorCodes, requestErrorCodes } from '../src/core/error-table.ts'
import { compatPages, notOfferedPages, withFields, withNotOffered } from './compat-pages.ts'
import { nodesPage } from './nodes-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const cell = (text: string) => text.replaceAll('|', '\\|')

function configurationPage(): string {
  const rows = Object.entries(variables).map(([name, { fallback, help }]) => {
    const shown = fallback === '' ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${shown} | ${cell(help)} |`
  })
  return `# Configuration

You configure everything by environment variables. With a bad value the server does not start and names the variable; \`atelier doctor\` checks them all without starting. This page is generated from \`src/config.ts\` by \`npm run docs\`.

| Variable | Default | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

function errorPage(): string {
  const rowOf = (code: keyof typeof errorTable) => {
    const { message, retryable } = errorTable[code]
    return `| \`${code}\` | ${retryable ? 'yes' : 'no'} | ${cell(message)} |`
  }
  const rows = requestErrorCodes.map((code) => `| ${errorTable[code].status} ${rowOf(code)}`)
  return `# Error codes

Every failure has the body \`{"success":false,"error":{"code","message","retryable","details"?}}\`. This page is generated from \`src/core/error-table.ts\` by \`npm run docs\`.

| Status | Code | Same request may be repeated | Meaning |
|---|---|---|---|
${rows.join('\n')}

## Errors of runs and tasks

A run that FAILED lists its errors in \`nodeErrors\`: \`{nodeId, type, code, message, retryable, at}\`. If the run as a whole failed, \`nodeId\` is empty and \`type\` is \`run\`. A task that FAILED has one \`error\`: \`{code, message, retryable}\`. \`code\` is one of the codes below or one of the table above, for example if a provider refused the call.

| Code | May succeed when tried again | Meaning |
|---|---|---|
${recordErrorCodes.map(rowOf).join('\n')}
`
}

function operationPage(): string {
  const rows = operations.map(
    ({ id, method, path, scope, summary, tool }) =>
      `| \`${id}\` | \`${method} ${path}\` | ${scope} | ${tool ? `\`${tool.name}\`` : ''} | ${cell(summary)} |`,
  )
  return `# Operations

Paths are relative to \`/api/ai-tools/v1\`. The running server shows each with its schemas at \`/docs\` and as OpenAPI 3.1 at \`/api/ai-tools/v1/openapi.json\`. This page is generated from \`src/api/public/registry.ts\` by \`npm run docs\`.

| Operation | Route | Scope | Tool | What it does |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function developerPage(): string {
  const rows = consoleOperations.map(
    ({ id, method, path, access, takesKeys, summary }) =>
      `| \`${id}\` | \`${method} ${path}\` | ${access} | ${takesKeys ? 'yes' : ''} | ${cell(summary)} |`,
  )
  return `# Console API

The console uses these operations in addition to the Agent API. Paths are relative to \`/api/console/v1\`. You need the session cookie that you get by signing in, and requests that change something must come from a page of this server. Programs use the [Agent API](operations.md); operations marked under "Keys" also take an API key with the scope \`developer\` ([authentication](authentication.md)). The running server shows each operation with its schemas at \`/docs\` and as OpenAPI 3.1 at \`/api/console/v1/openapi.json\`. This page is generated from \`src/api/console/registry.ts\` by \`npm run docs\`.

"Who" is the least role that you need ([team](team.md)): viewer, editor, owner; "operator" is an owner of the account that the server was set up with; "public" needs no session.

| Operation | Route | Who | Keys | What it does |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function toolPage(): string {
  const rows = toolList(operations).map(({ name, operation, parameters, hints }) => {
    const { properties, required = [] } = parameters
    const args = Object.keys(properties).map((arg) => `${arg}${required.includes(arg) ? '*' : ''}`)
    const marks = Object.entries(hints)
      .filter(([, is]) => is)
      .map(([hint]) => hint.replace('Hint', ''))
    return `| \`${name}\` | \`${operation.id}\` | ${args.join(', ') || 'none'} | ${marks.join(', ')} |`
  })
  return `# Tools

A model with function calling can use this service through 18 tools. Each tool is one operation and has a closed JSON Schema for its arguments. \`GET /api/ai-tools/v1/tools\` lists them, without a credential, in the format of a vendor; pass \`data.items\` to the model unchanged:

| \`format\` | For |
|---|---|
| \`openai\` (default) | Chat Completions and compatible APIs |
| \`openai-responses\` | Responses |
| \`anthropic\` | Messages |
| \`gemini\` | \`functionDeclarations\` of Gemini's \`tools\` |
| \`mcp\` | Model Context Protocol; an MCP client gets them from \`/mcp\` itself |

With \`strict=true\` the formats of OpenAI mark as strict those tools whose arguments are all required, so that the model cannot leave one out or add another.

When the model asks for a call, send the request of the operation with your credential. Arguments named in the path go there, \`page\` and \`size\` go to the query, \`idempotencyKey\` becomes the header \`Idempotency-Key\`, and all others form the JSON body. Return the answer to the model unchanged, even if it is a failure: \`error.message\` says what to do, and \`error.retryable\` whether to repeat the call.

\`*\` marks required arguments. A "readOnly" tool changes nothing; a "destructive" one overwrites, deletes or stops something; an "idempotent" one may be repeated with the same arguments; an "openWorld" one reaches providers and can cost money. This page is generated from \`src/api/public\` by \`npm run docs\`.

| Tool | Operation | Arguments | Hints |
|---|---|---|---|
${rows.join('\n')}
`
}

/** Returns the files that were out of date. Writes them, unless the mode is `compare`. */
export function writeDocs(options: { mode: 'write' | 'compare' }): string[] {
  const pages: [string, () => string][] = [
    ['docs/configuration.md', configurationPage],
    ['docs/errors.md', errorPage],
    ['docs/operations.md', operationPage],
    ['docs/console-api.md', developerPage],
    ['docs/tools.md', toolPage],
    ['docs/nodes.md', nodesPage],
  ]
  for (const [path, tables] of Object.entries(compatPages)) {
    pages.push([path, () => withFields(read(path), tables)])
  }
  for (const [path, table] of Object.entries(notOfferedPages)) {
    pages.push([path, () => withNotOffered(read(path), table)])
  }
  return pages.flatMap(([path, make]) => {
    const old = read(path)
    const text = make()
    if (old === text) return []
    if (options.mode === 'write') writeFileSync(`${root}/${path}`, text)
    return [path]
  })
}

function read(path: string): string {
  try {
    return readFileSync(`${root}/${path}`, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  const mode = process.argv.includes('--check') ? 'compare' : 'write'
  const stale = writeDocs({ mode })
  console.log(
    stale.length === 0
      ? 'docs follow the code'
      : `${mode === 'write' ? 'written' : 'stale'}: ${stale.join(', ')}`,
  )
  if (mode === 'compare' && stale.length > 0) process.exit(1)
}
