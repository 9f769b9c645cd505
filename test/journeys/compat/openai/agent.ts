// A typical agent: it asks the model, calls the requested functions over our own API, and asks
// again until the model answers with text.
import assert from 'node:assert/strict'
import type OpenAI from 'openai'
import { bindCall, toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import type { Answer, Call } from '../../../support/server.ts'

const tools = toolList(operations)

export const serviceTools: OpenAI.ChatCompletionTool[] = tools.map((tool) => ({
  type: 'function',
  function: {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters as unknown as Record<string, unknown>,
  },
}))

export type Loop = {
  calls: { name: string; args: Record<string, unknown> }[]
  text: string
  messages: OpenAI.ChatCompletionMessageParam[]
}

type Ask = (
  messages: OpenAI.ChatCompletionMessageParam[],
) => Promise<{ message: OpenAI.ChatCompletionMessage; finish_reason: string }>

const maxTurns = 200

export async function runLoop(
  ask: Ask,
  server: { call(call: Call): Promise<Answer> },
  goal: string,
  history: OpenAI.ChatCompletionMessageParam[] = [],
): Promise<Loop> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    ...history,
    { role: 'user', content: goal },
  ]
  const calls: Loop['calls'] = []
  for (let turn = 0; turn < maxTurns; turn++) {
    const { message, finish_reason } = await ask(messages)
    messages.push(message)
    if (!message.tool_calls?.length) {
      assert.equal(finish_reason, 'stop')
      return { calls, text: message.content ?? '', messages }
    }
    assert.equal(finish_reason, 'tool_calls')
    for (const wanted of message.tool_calls) {
      assert.equal(wanted.type, 'function')
      if (wanted.type !== 'function') continue
      const tool = tools.find(({ name }) => name === wanted.function.name)
      assert.ok(tool, `the model made up ${wanted.function.name}`)
      const args = JSON.parse(wanted.function.arguments)
      calls.push({ name: tool.name, args })
      const { method, path, headers, body } = bindCall(tool, args)
      const answer = await server.call({ method, path, headers, ...(body ? { body } : {}) })
      messages.push({ role: 'tool', tool_call_id: wanted.id, content: answer.text })
      const isOver = !answer.body?.data?.retryAfterSeconds
      if (!isOver) await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error(`no answer after ${maxTurns} turns: ${JSON.stringify(calls.slice(-3))}`)
}
