// What callers want of OpenAI, each written twice: as our request, and in the vendor's types.
import type OpenAI from 'openai'
import type { TextRequest, ToolResult } from '#providers/provider.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

export const hello = { role: 'user' as const, content: 'Hello' }
const parameters = {
  type: 'object',
  properties: { town: { type: 'string' } },
  required: ['town'],
  additionalProperties: false,
}
export const weather = { name: 'weather', description: 'The weather of a town.', parameters }
const weatherTool: OpenAI.Responses.FunctionTool = { type: 'function', ...weather, strict: false }
export const pixel = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const asked = { id: 'call_1', name: 'weather', arguments: '{"town":"Rome"}' }
export const result: ToolResult = { role: 'tool', toolCallId: 'call_1', content: '{"sky":"clear"}' }
const schema = { type: 'object', properties: { a: { type: 'number' } } }

/** An intent, and the same as a literal of the vendor's types. */
export const intents: Record<string, { ours: TextRequest; theirs: Params }> = {
  'a question': {
    ours: { model: 'gpt-6-luna', systemPrompt: 'Be brief.', messages: [hello], maxTokens: 77 },
    theirs: {
      model: 'gpt-6-luna',
      instructions: 'Be brief.',
      input: [hello],
      max_output_tokens: 77,
      store: false,
    },
  },
  'an effort, and the one temperature there is': {
    ours: { model: 'gpt-6.1-sol', messages: [hello], reasoningEffort: 'low', temperature: 1 },
    theirs: {
      model: 'gpt-6.1-sol',
      input: [hello],
      reasoning: { effort: 'low' },
      store: false,
    },
  },
  'a temperature, where the model does not reason': {
    ours: { model: 'gpt-4.1', messages: [hello], temperature: 0.2, topP: 0.5 },
    theirs: { model: 'gpt-4.1', input: [hello], temperature: 0.2, top_p: 0.5, store: false },
  },
  'a picture': {
    ours: {
      model: 'gpt-6-sol',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', media: pixel },
          ],
        },
      ],
    },
    theirs: {
      model: 'gpt-6-sol',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' },
          ],
        },
      ],
      store: false,
    },
  },
  'any JSON, which has to be named in the input': {
    ours: { model: 'gpt-6-luna', messages: [hello], responseFormat: 'json' },
    theirs: {
      model: 'gpt-6-luna',
      input: [
        { role: 'system', content: 'Answer with one valid JSON value and nothing else.' },
        hello,
      ],
      text: { format: { type: 'json_object' } },
      store: false,
    },
  },
  'JSON of a schema': {
    ours: {
      model: 'gpt-6-luna',
      messages: [hello],
      jsonSchema: { name: 'sum', schema, strict: true },
    },
    theirs: {
      model: 'gpt-6-luna',
      input: [hello],
      text: { format: { type: 'json_schema', name: 'sum', schema, strict: true } },
      store: false,
    },
  },
  'a function that must be called, one at most': {
    ours: {
      model: 'gpt-6-sol',
      messages: [hello],
      tools: [weather],
      toolChoice: { name: 'weather' },
      parallelToolCalls: false,
    },
    theirs: {
      model: 'gpt-6-sol',
      input: [hello],
      include: ['reasoning.encrypted_content'],
      tools: [weatherTool],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
      store: false,
    },
  },
  'the result of a call': {
    ours: {
      model: 'gpt-6-sol',
      messages: [hello, { role: 'assistant', content: 'Wait.', toolCalls: [asked] }, result],
      tools: [{ ...weather, strict: true }],
    },
    theirs: {
      model: 'gpt-6-sol',
      input: [
        hello,
        { role: 'assistant', content: 'Wait.' },
        {
          type: 'function_call',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"town":"Rome"}',
        },
        { type: 'function_call_output', call_id: 'call_1', output: '{"sky":"clear"}' },
      ],
      include: ['reasoning.encrypted_content'],
      tools: [{ ...weatherTool, strict: true }],
      store: false,
    },
  },
}
