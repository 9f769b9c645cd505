// A text model made of rules: it works on the text it is given and gives the same answer to the
// same request. Temperature and top-p have no effect on rules. Never slow, because the input and
// every pattern that reads it are bounded.
import { createHash } from 'node:crypto'
import type { ToolCall } from '#core/text-stream.ts'
import type { TextRequest, TextResult } from '../../provider.ts'
import { type Call, decide } from '../tools/decide.ts'
import { answer } from './answer.ts'
import { readTask, textOf } from './request.ts'
import { countTokens, cutToTokens, maxOutputTokens } from './tokens.ts'

/** A picture counts as about a page of text. */
const tokensPerPicture = 256

export function generateText(request: TextRequest): TextResult {
  const task = readTask(request)
  const decision = request.tools?.length ? decide(request) : null
  const call = decision && 'call' in decision ? toolCall(request, decision.call) : undefined
  const whole = call ? '' : decision && 'text' in decision ? decision.text : answer(task)
  const limit = Math.min(request.maxTokens ?? maxOutputTokens, maxOutputTokens)
  const written = cutToTokens(whole, limit)
  // A stop sequence counts only if all of it was written.
  const stops = (request.stop ?? []).map((stopSequence) => ({
    at: written.indexOf(stopSequence),
    endCause: { stopSequence },
  }))
  const [first] = stops.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at)
  const text = written.slice(0, first?.at)
  return {
    text,
    ...(call ? { toolCalls: [call] } : {}),
    finish: !first && written.length < whole.length ? 'length' : 'stop',
    ...(first ? { endCause: first.endCause } : {}),
    usage: {
      inputTokens: inputTokens(request) + task.pictures * tokensPerPicture,
      outputTokens: countTokens(text) + (call ? countTokens(call.name + call.arguments) : 0),
    },
    requestId: null,
    answeredBy: request.model,
  }
}

function inputTokens({ systemPrompt = '', messages, tools }: TextRequest): number {
  let count = countTokens(systemPrompt) + (tools ? countTokens(JSON.stringify(tools)) : 0)
  for (const message of messages) {
    count += countTokens(textOf(message))
    if (message.role === 'tool') continue
    for (const call of message.toolCalls ?? []) count += countTokens(call.name + call.arguments)
  }
  return count
}

/** The number of messages makes ids of equal calls differ; the same conversation repeats them. */
function toolCall({ messages }: TextRequest, { tool: { name }, args }: Call): ToolCall {
  const written = JSON.stringify(args)
  const digest = createHash('sha256').update(`${messages.length} ${name} ${written}`)
  return { id: `call_${digest.digest('hex').slice(0, 24)}`, name, arguments: written }
}
