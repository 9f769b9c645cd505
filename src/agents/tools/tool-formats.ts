import type { ToolFormat } from '#operations/skills/agent-documents.ts'
import type { Tool, ToolParameters } from './tool-list.ts'

/**
 * The same, with `strict: true` where a schema is one that OpenAI enforces: every argument is
 * required, and none is an object or a list. Strict mode would make other arguments required.
 */
export function strictTool(format: ToolFormat, tool: Tool): object {
  const parameters = strictParameters(tool.parameters)
  const item = toolFormatters[format](parameters ? { ...tool, parameters } : tool)
  if (!parameters) return item
  if (format === 'openai-responses') return { ...item, strict: true }
  if (format !== 'openai') return item
  const { name, description } = tool
  return { ...item, function: { name, description, parameters, strict: true } }
}

/** They have to name what is required even where nothing is. */
function strictParameters(parameters: ToolParameters): ToolParameters | undefined {
  const { properties, required = [] } = parameters
  const isPlain = (property: object) =>
    'type' in property && ['string', 'integer', 'number', 'boolean'].includes(String(property.type))
  const isStrict = Object.entries(properties).every(
    ([name, property]) => required.includes(name) && isPlain(property),
  )
  return isStrict ? { ...parameters, required } : undefined
}

/** A tool in the format that each vendor's API expects. */
export const toolFormatters: Record<ToolFormat, (tool: Tool) => object> = {
  openai: ({ name, description, parameters }) => ({
    type: 'function',
    // Strict mode would make every argument required.
    function: { name, description, parameters, strict: false },
  }),
  'openai-responses': ({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  }),
  anthropic: ({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }),
  // `parameters` there knows a part of JSON Schema only; this field takes all of it.
  gemini: ({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }),
  mcp: ({ name, description, parameters, result, hints }) => ({
    name,
    description,
    inputSchema: parameters,
    outputSchema: result,
    annotations: hints,
  }),
}
