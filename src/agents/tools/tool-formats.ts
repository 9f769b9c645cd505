import type { ToolFormat } from '#operations/skills/agent-documents.ts'
import type { Tool } from './tool-list.ts'

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
