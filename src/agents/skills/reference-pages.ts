import { apiPrefix } from '#api/public/context.ts'
import { errorTable, recordErrorCodes, requestErrorCodes } from '#core/error-table.ts'
import { nodeTypes } from '#graph/types/table.ts'
import type { Tool } from '../tools/tool-list.ts'
import { schemaText } from './schema-text.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const code = (text: string) => `\`\`\`\n${text}\n\`\`\``

/** Every tool of a skill, as a tool call and as an HTTP request, with arguments and response. */
export function operationsPage(tools: readonly Tool[], baseUrl: string): string {
  return `# Operations

Each section describes one tool and the HTTP request it represents. Arguments named in the path go there; \`page\` and \`size\` go to the query; \`idempotencyKey\` becomes the header \`Idempotency-Key\`; all other arguments form the JSON body. Addresses are relative to \`${baseUrl}\`. \`?\` marks what may be absent.

Every answer that succeeds is \`{"success":true,"data":…}\`; "Answer" shows \`data\`. Every failure is \`{"success":false,"error":{"code","message","retryable","details"?}}\`: see errors.md.

${tools.map(operationSection).join('\n\n')}
`
}

function operationSection({ name, description, parameters, operation }: Tool): string {
  const forms = Object.entries(operation.success)
  const answers = forms.map(([status, { description, beside = {}, data }]) => {
    const next = Object.keys(beside).map((member) => `\`${member}\``)
    const also = next.length === 0 ? '' : `; ${next.join(', ')} is also next to \`data\``
    return { title: `Answer ${status}: ${description}${also}`, text: schemaText(data ?? {}) }
  })
  // Most operations return the same record for all their success statuses.
  const distinct = Map.groupBy(answers, ({ text }) => text)
  return [
    `## ${name}`,
    `\`${operation.method} ${apiPrefix}${operation.path}\`, scope \`${operation.scope}\``,
    description,
    Object.keys(parameters.properties).length === 0
      ? 'No arguments.'
      : `Arguments\n\n${code(schemaText(parameters))}`,
    ...[...distinct].map(
      ([text, same]) => `${same.map(({ title }) => title).join('\n\n')}\n\n${code(text)}`,
    ),
    ...(operation.errors.length === 0
      ? []
      : [`Its own errors: ${operation.errors.map((one) => `\`${one}\``).join(', ')}`]),
  ].join('\n\n')
}

export function errorsPage(): string {
  const rowOf = (name: keyof typeof errorTable) => {
    const { retryable, message } = errorTable[name]
    return `| \`${name}\` | ${retryable ? 'yes' : 'no'} | ${cell(message)} |`
  }
  const rows = requestErrorCodes.map((name) => `| ${errorTable[name].status} ${rowOf(name)}`)
  return `# Errors

\`error.retryable\` of the answer decides whether the same request may be repeated; the column shows what is usual. If the answer has the header \`Retry-After\`, wait that many seconds; otherwise wait a second, then longer each time. \`details.issues[]\` of a 400 or 422 names each problem with \`path\` (JSON Pointer), \`rule\` and \`message\`: fix those and send the changed request.

| Status | Code | Repeat | Meaning |
|---|---|---|---|
${rows.join('\n')}

## In records

A run that FAILED says why in \`nodeErrors\`, a task that FAILED in \`error\`: with one of the codes above, or one of these. "Again" says whether a new run or task may succeed as it is.

| Code | Again | Meaning |
|---|---|---|
${recordErrorCodes.map(rowOf).join('\n')}
`
}

/** Ports and settings of every node type, from the table the server itself validates with. */
export function nodeTypesPage(): string {
  const sections = nodeTypes.map(({ type, canvas, config, ports }) => {
    const known = ports(sampleSettings, () => undefined)
    const inputs = known?.inputs.map(
      (port) => `\`${port.name}\`: ${port.type}${port.required ? ', required' : ''}${many(port)}`,
    )
    const outputs = known?.outputs.map((port) => `\`${port.name}\`: ${port.type}`)
    return [
      `## ${type}`,
      canvas.help,
      `- Inputs: ${inputs === undefined ? bySettings : listed(inputs)}\n- Outputs: ${outputs === undefined ? bySettings : listed(outputs)}`,
      ...(Object.keys(config.properties).length === 0
        ? []
        : [`Settings in \`data\`\n\n${code(schemaText(config))}`]),
    ].join('\n\n')
  })
  return `# Node types

A graph is \`{"nodes":[…],"connections":[…]}\`: at most 200 nodes, at most 1000 connections, no cycle.

- Node: \`{"id","type","data"}\`. \`id\` is 1 to 64 letters, digits, \`_\` or \`-\`, unique in the graph. \`data\` holds the settings and may hold a \`label\`.
- Connection: \`{"source","sourceHandle","target","targetHandle"}\`: from an output port of the node \`source\` to an input port of the node \`target\`. A handle that is left out means the first port listed.
- An input port accepts one connection, unless it is marked as accepting several. A port without a connection can be filled by a key of its name in \`data\`.
- Port types fit where they are equal, or where either side is \`json\` or \`any\`; number, boolean, list, image and video also fit into text.
- Types named \`browser.<name>\` never execute on a server: a run skips them, and is refused if an output needs one.

${sections.join('\n\n')}
`
}

/** A template has one port for each name in its text. */
const sampleSettings = { template: '{{name}}' }
const bySettings = 'depend on the settings'
const many = ({ multi }: { multi?: true }) => (multi ? ', accepts several connections' : '')
const listed = (ports: readonly string[]) => (ports.length === 0 ? 'none' : ports.join('; '))
