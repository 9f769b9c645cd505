import type { ToolFormat } from '#api/public/skills/agent-documents.ts'
import type { Tool, ToolParameters } from './tool-list.ts'

/**
 * A tool in a vendor's format, with `strict: true` if OpenAI can enforce its schema: every argument
 * is required, and none is an object or a list. Other tools stay as they are, because strict mode
 * would make their optional arguments required.
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

/** Undefined if strict mode does not fit. It demands `required`, even if nothing is required. */
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
  // Gemini's `parameters` supports only a part of JSON Schema; this field takes all of it.
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
