// A text call in the form of OpenAI's Responses API: items instead of messages, flat function
// definitions, and nothing stored at the vendor (`store: false`).
import type { ToolCall } from '#core/text-stream.ts'
import { mediaIn, resultText } from '#providers/conversation.ts'
import { toDataUrl } from '#providers/media-encoding.ts'
import type { ContentPart, Message, TextRequest, ToolResult } from '#providers/provider.ts'
import { unsendable } from '#providers/refusal.ts'
import { refuseOptions, refuseSearch } from '#providers/text-options.ts'
import type { Upstream } from '#providers/upstream.ts'
import { jsonHint, namesJson } from './json-mode.ts'
import {
  type InputItem,
  type InputPart,
  type ResponsesBody,
  reasoningItems,
} from './responses-wire.ts'

/** Reasoning models accept temperature and top_p only if they are told not to reason. */
const reasons = (model: string): boolean =>
  /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !model.includes('chat')

export function responsesBody(upstream: Upstream, request: TextRequest): ResponsesBody {
  const { model, systemPrompt, maxTokens, tools = [], reasoningEffort } = request
  if (request.stop !== undefined) throw unsendable(upstream, 'does not support stop sequences')
  refuseSearch(upstream, request, 'openai')
  const body: ResponsesBody = { model, input: request.messages.flatMap(itemsOf), store: false }
  if (systemPrompt) body.instructions = systemPrompt
  if (maxTokens !== undefined) body.max_output_tokens = maxTokens
  if (reasoningEffort !== undefined) body.reasoning = { effort: reasoningEffort }
  const thinks = reasons(model) && reasoningEffort !== 'none'
  if (thinks && request.showThoughts) body.reasoning = { ...body.reasoning, summary: 'auto' }
  refuseOptions(upstream, request, thinks ? ['verbosity'] : ['verbosity', 'topLogprobs'])
  Object.assign(body, thinks ? fixedSampling(upstream, request) : samplingOf(request))
  // Thoughts must be sent back only together with function calls.
  if (thinks && tools.length > 0) body.include = ['reasoning.encrypted_content']
  if (request.topLogprobs !== undefined) {
    body.include = ['message.output_text.logprobs']
    body.top_logprobs = request.topLogprobs
  }
  const format = formatOf(request)
  if (format) body.text = { format }
  if (request.verbosity) body.text = { ...body.text, verbosity: request.verbosity }
  if (format?.type === 'json_object' && !namesJson(request.messages)) {
    body.input.unshift({ role: 'system', content: jsonHint })
  }
  if (request.tier !== undefined) body.service_tier = request.tier
  if (request.webSearch) body.max_tool_calls = request.webSearch.most
  return tools.length > 0 || request.webSearch ? { ...body, ...toolsOf(request) } : body
}

function fixedSampling(upstream: Upstream, { temperature, topP }: TextRequest): object {
  // 1 is allowed, because these models use it anyway.
  if ((temperature ?? 1) !== 1)
    throw unsendable(upstream, 'does not support a temperature other than 1 with this model')
  if ((topP ?? 1) !== 1)
    throw unsendable(upstream, 'does not support a top_p other than 1 with this model')
  return {}
}

const samplingOf = ({ temperature, topP }: TextRequest) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { top_p: topP }),
})

type Format = NonNullable<ResponsesBody['text']>['format']

function formatOf({ jsonSchema, responseFormat }: TextRequest): Format | undefined {
  if (jsonSchema) {
    const { name, schema, description, strict } = jsonSchema
    return {
      type: 'json_schema',
      name,
      schema: { ...schema },
      ...(description === undefined ? {} : { description }),
      ...(strict === undefined ? {} : { strict }),
    }
  }
  return responseFormat === 'json' ? { type: 'json_object' } : undefined
}

function itemsOf(message: Message): InputItem[] {
  if (message.role === 'tool') {
    return [
      { type: 'function_call_output', call_id: message.toolCallId, output: outputOf(message) },
    ]
  }
  const { role, content, thoughts = [], toolCalls = [] } = message
  const said: InputItem[] =
    toolCalls.length > 0 && content.length === 0
      ? []
      : [{ role, content: typeof content === 'string' ? content : content.map(inputPart) }]
  return [...thoughts.flatMap(reasoningItems), ...said, ...toolCalls.map(callItem)]
}

function outputOf(result: ToolResult): string | InputPart[] {
  const media = mediaIn(result.content)
  const text = resultText(result)
  if (media.length === 0) return text
  const parts = media.map(inputPart)
  return text === '' ? parts : [{ type: 'input_text', text }, ...parts]
}

const callItem = ({ id, name, arguments: written }: ToolCall): InputItem => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: written,
})

function inputPart(part: ContentPart): InputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const url = toDataUrl(part.media)
  return part.type === 'image'
    ? { type: 'input_image', image_url: url, detail: 'auto' }
    : { type: 'input_file', filename: part.name ?? 'document.pdf', file_data: url }
}

function toolsOf({ tools = [], webSearch, toolChoice, parallelToolCalls }: TextRequest) {
  const declared: NonNullable<ResponsesBody['tools']> = tools.map(
    ({ name, description, parameters, strict = false }) => ({
      type: 'function',
      name,
      ...(description === undefined ? {} : { description }),
      parameters: { type: 'object', properties: {}, ...parameters },
      // The API's default is true, but most schemas do not meet the rules of strict mode.
      strict,
    }),
  )
  if (webSearch) declared.push({ ...webSearch.tool })
  return {
    tools: declared,
    ...(toolChoice === undefined
      ? {}
      : {
          tool_choice:
            typeof toolChoice === 'string'
              ? toolChoice
              : { type: 'function' as const, name: toolChoice.name },
        }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  }
}
