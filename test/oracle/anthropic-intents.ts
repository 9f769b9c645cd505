// What is asked of Anthropic's messages API: each intent, and the same as a literal of the vendor's
// types.
import type Anthropic from '@anthropic-ai/sdk'
import type { TextRequest, ToolResult } from '#providers/provider.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming

export const hello = { role: 'user' as const, content: 'Hello' }
export const weather = {
  name: 'weather',
  description: 'The weather of a town.',
  parameters: {
    type: 'object',
    properties: { town: { type: 'string' } },
    required: ['town'],
    additionalProperties: false,
  },
}
const weatherTool: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a town.',
  input_schema: {
    type: 'object',
    properties: { town: { type: 'string' } },
    required: ['town'],
    additionalProperties: false,
  },
}
const cached: Anthropic.CacheControlEphemeral = { type: 'ephemeral' }
export const searchTool: Anthropic.WebSearchTool20250305 = {
  type: 'web_search_20250305',
  name: 'web_search',
  allowed_domains: ['example.com'],
}
const searched: Anthropic.ServerToolUseBlockParam = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'weather in Rome' },
}
const pdf = { bytes: Buffer.from('%PDF-'), mimeType: 'application/pdf' }
const pixel = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
export const asked = { id: 'toolu_1', name: 'weather', arguments: '{"town":"Rome"}' }
export const result: ToolResult = {
  role: 'tool',
  toolCallId: 'toolu_1',
  content: '{"sky":"clear"}',
}

/** An intent, and the same as a literal of the vendor's types. */
export const intents: Record<string, { ours: TextRequest; theirs: Params }> = {
  'a question': {
    ours: { model: 'claude-haiku-5-5', systemPrompt: 'Be brief.', messages: [hello] },
    theirs: {
      model: 'claude-haiku-5-5',
      max_tokens: 16_384,
      system: 'Be brief.',
      messages: [hello],
    },
  },
  'a limit, ends and the one temperature there is': {
    ours: {
      model: 'claude-haiku-5-5',
      messages: [hello],
      maxTokens: 77,
      stop: ['END'],
      temperature: 1,
    },
    theirs: {
      model: 'claude-haiku-5-5',
      max_tokens: 77,
      messages: [hello],
      stop_sequences: ['END'],
    },
  },
  'a picture': {
    ours: {
      model: 'claude-sonnet-5-5',
      messages: [{ role: 'user', content: [{ type: 'image', media: pixel }] }],
    },
    theirs: {
      model: 'claude-sonnet-5-5',
      max_tokens: 16_384,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
          ],
        },
      ],
    },
  },
  'a strict function, one call at most': {
    ours: {
      model: 'claude-sonnet-5-5',
      messages: [hello],
      tools: [{ ...weather, strict: true }],
      parallelToolCalls: false,
    },
    theirs: {
      model: 'claude-sonnet-5-5',
      max_tokens: 16_384,
      messages: [hello],
      cache_control: cached,
      tools: [{ ...weatherTool, strict: true }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
  },
  'a function that must be called': {
    ours: {
      model: 'claude-haiku-5-5',
      messages: [hello],
      tools: [weather],
      toolChoice: { name: 'weather' },
    },
    theirs: {
      model: 'claude-haiku-5-5',
      max_tokens: 16_384,
      messages: [hello],
      cache_control: cached,
      tools: [weatherTool],
      tool_choice: { type: 'tool', name: 'weather' },
    },
  },
  'the result of a call': {
    ours: {
      model: 'claude-haiku-5-5',
      messages: [hello, { role: 'assistant', content: 'Wait.', toolCalls: [asked] }, result],
      tools: [weather],
    },
    theirs: {
      model: 'claude-haiku-5-5',
      max_tokens: 16_384,
      cache_control: cached,
      messages: [
        hello,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Wait.' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { town: 'Rome' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '{"sky":"clear"}' }],
        },
      ],
      tools: [weatherTool],
      tool_choice: { type: 'auto' },
    },
  },
  'a failed call that returned a picture, and a PDF': {
    ours: {
      model: 'claude-sonnet-5-5',
      messages: [
        { role: 'user', content: [{ type: 'document', media: pdf, name: 'plan.pdf' }] },
        { role: 'assistant', content: '', toolCalls: [asked] },
        {
          role: 'tool',
          toolCallId: 'toolu_1',
          isError: true,
          content: [
            { type: 'text', text: 'Fog:' },
            { type: 'image', media: pixel },
          ],
        },
      ],
      tools: [weather],
    },
    theirs: {
      model: 'claude-sonnet-5-5',
      max_tokens: 16_384,
      cache_control: cached,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              title: 'plan.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { town: 'Rome' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: true,
              content: [
                { type: 'text', text: 'Fog:' },
                {
                  type: 'image',
                  source: { type: 'base64', media_type: 'image/png', data: 'AQID' },
                },
              ],
            },
          ],
        },
      ],
      tools: [weatherTool],
      tool_choice: { type: 'auto' },
    },
  },
  'a search on the web': {
    ours: {
      model: 'claude-opus-5-5',
      messages: [
        hello,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: '[…]', hosted: { form: 'anthropic', item: { ...searched } } },
            { type: 'text', text: 'Done.' },
          ],
        },
        hello,
      ],
      webSearch: { form: 'anthropic', tool: { ...searchTool, user_location: null }, most: 3 },
    },
    theirs: {
      model: 'claude-opus-5-5',
      max_tokens: 16_384,
      cache_control: cached,
      messages: [
        hello,
        { role: 'assistant', content: [searched, { type: 'text', text: 'Done.' }] },
        hello,
      ],
      tools: [{ ...searchTool, user_location: null, max_uses: 3 }],
      tool_choice: { type: 'auto' },
    },
  },
  'thoughts in words, and marks for its cache that keep their places': {
    ours: {
      model: 'claude-opus-5-5',
      showThoughts: true,
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache: '1h' }] },
        hello,
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: [{ type: 'text', text: 'And now?', cache: '5m' }] },
        { role: 'system', content: 'It is evening.' },
      ],
      tools: [{ ...weather, cache: '1h' }],
    },
    theirs: {
      model: 'claude-opus-5-5',
      max_tokens: 16_384,
      thinking: { type: 'adaptive', display: 'summarized' },
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      messages: [
        hello,
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: [{ type: 'text', text: 'And now?', cache_control: cached }] },
        { role: 'system', content: [{ type: 'text', text: 'It is evening.' }] },
      ],
      tools: [{ ...weatherTool, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tool_choice: { type: 'auto' },
    },
  },
}
