import type { ToolCall } from '#core/text-stream.ts'
import { argumentsOf } from '../../conversation.ts'
import { type Json, parseJson } from '../../json-shape.ts'
import type { Message } from '../../provider.ts'
import { textOf } from '../text/task.ts'

/** A call that was made, and what came of it: JSON where it is JSON, else its text. */
export type Step = { name: string; args: Json; result: unknown }

export type Dialogue = {
  /** What the user wants now. */
  goal: string
  /** Calls made for it, oldest first. */
  steps: Step[]
  /** Calls made before it was said. */
  earlier: Step[]
}

const maxGoalLength = 4000
const maxResultLength = 1_000_000

export function readDialogue(messages: readonly Message[]): Dialogue {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[last]
  return {
    goal: asked ? textOf(asked).slice(0, maxGoalLength).trim() : '',
    steps: stepsIn(messages.slice(last + 1)),
    earlier: stepsIn(messages.slice(0, Math.max(0, last))),
  }
}

function stepsIn(messages: readonly Message[]): Step[] {
  const calls = new Map<string, ToolCall>()
  const steps: Step[] = []
  for (const message of messages) {
    if (message.role !== 'tool') {
      for (const call of message.toolCalls ?? []) calls.set(call.id, call)
      continue
    }
    const call = calls.get(message.toolCallId)
    if (!call) continue
    steps.push({ name: call.name, args: argumentsOf(call), result: parsed(message.content) })
  }
  return steps
}

function parsed(content: string): unknown {
  const text = content.slice(0, maxResultLength)
  const value = parseJson(text)
  return value === undefined ? text : value
}
