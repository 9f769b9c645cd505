// Those parts of OpenAI's published OpenAPI document that our requests use, as JSON Schema. Facts
// only, and closed: a member that is not here is one we have never meant to send. Limits that the
// document leaves out and the API enforces are marked.

const closed = { type: 'object', additionalProperties: false } as const
const oneOf = (...values: string[]) => ({ type: 'string', enum: values })
const text = { type: 'string' }
const name = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' }
const callId = { type: 'string', minLength: 1, maxLength: 64 }
const jsonSchema = { type: 'object', required: ['type'] }

const inputContent = {
  anyOf: [
    {
      ...closed,
      required: ['type', 'text'],
      properties: { type: { const: 'input_text' }, text },
    },
    {
      ...closed,
      required: ['type', 'detail'],
      properties: {
        type: { const: 'input_image' },
        image_url: { type: 'string', pattern: '^(https?://|data:image/)' },
        detail: oneOf('low', 'high', 'auto', 'original'),
      },
    },
  ],
}

const inputItem = {
  anyOf: [
    {
      ...closed,
      required: ['role', 'content'],
      properties: {
        type: { const: 'message' },
        role: oneOf('user', 'assistant', 'system', 'developer'),
        content: { anyOf: [text, { type: 'array', minItems: 1, items: inputContent }] },
      },
    },
    {
      ...closed,
      required: ['type', 'call_id', 'name', 'arguments'],
      properties: { type: { const: 'function_call' }, call_id: callId, name, arguments: text },
    },
    {
      ...closed,
      required: ['type', 'call_id', 'output'],
      properties: { type: { const: 'function_call_output' }, call_id: callId, output: text },
    },
    {
      ...closed,
      required: ['type', 'id', 'summary'],
      properties: {
        type: { const: 'reasoning' },
        id: text,
        summary: { type: 'array' },
        encrypted_content: { type: ['string', 'null'] },
      },
    },
  ],
}

const functionTool = {
  ...closed,
  required: ['type', 'name', 'parameters', 'strict'],
  properties: {
    type: { const: 'function' },
    name,
    description: text,
    parameters: jsonSchema,
    strict: { type: 'boolean' },
  },
}

const textFormat = {
  anyOf: [
    { ...closed, required: ['type'], properties: { type: { const: 'json_object' } } },
    {
      ...closed,
      required: ['type', 'name', 'schema'],
      properties: {
        type: { const: 'json_schema' },
        name,
        schema: jsonSchema,
        description: text,
        strict: { type: ['boolean', 'null'] },
      },
    },
  ],
}

/** `POST /responses` */
export const responseRequest = {
  ...closed,
  required: ['model', 'input'],
  properties: {
    model: text,
    instructions: text,
    input: { type: 'array', minItems: 1, items: inputItem },
    store: { type: 'boolean' },
    stream: { type: 'boolean' },
    include: { type: 'array', items: oneOf('reasoning.encrypted_content') },
    // Enforced by the API, not said in the document.
    max_output_tokens: { type: 'integer', minimum: 16 },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    reasoning: {
      ...closed,
      properties: {
        effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
      },
    },
    text: {
      ...closed,
      properties: { format: textFormat, verbosity: oneOf('low', 'medium', 'high') },
    },
    tools: { type: 'array', items: functionTool },
    tool_choice: {
      anyOf: [
        oneOf('none', 'auto', 'required'),
        {
          ...closed,
          required: ['type', 'name'],
          properties: { type: { const: 'function' }, name },
        },
      ],
    },
    parallel_tool_calls: { type: 'boolean' },
  },
}

/** `POST /images/generations` */
export const imageRequest = {
  ...closed,
  required: ['prompt'],
  properties: {
    model: text,
    prompt: { type: 'string', maxLength: 32_000 },
    n: { type: 'integer', minimum: 1, maximum: 10 },
    size: { type: 'string', pattern: '^(auto|[1-9]\\d{2,3}x[1-9]\\d{2,3})$' },
    quality: oneOf('low', 'medium', 'high', 'xhigh', 'max', 'auto'),
    background: oneOf('transparent', 'opaque', 'auto'),
    output_format: oneOf('png', 'jpeg', 'webp', 'gif'),
  },
}
