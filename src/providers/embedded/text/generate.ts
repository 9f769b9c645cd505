// A text model made of rules: it works on what it is given, says what it is, and gives the same
// answer to the same request. Temperature has no effect on rules. Never slow: what it reads is
// bounded, and so is every pattern it reads it with.
import type { TextRequest, TextResult } from '../../provider.ts'
import { answer } from './answer.ts'
import { readTask, textOf } from './task.ts'
import { countTokens, cutToTokens, maxOutputTokens } from './tokens.ts'

/** A picture is counted as about a page of text. */
const tokensPerPicture = 256

export function generateText(request: TextRequest): TextResult {
  const task = readTask(request)
  const limit = Math.min(request.maxTokens ?? maxOutputTokens, maxOutputTokens)
  const { text, cut } = cutToTokens(answer(task), limit)
  const texts = [request.systemPrompt ?? '', ...request.messages.map(textOf)]
  return {
    text,
    finish: cut ? 'length' : 'stop',
    usage: {
      inputTokens:
        texts.reduce((sum, part) => sum + countTokens(part), 0) +
        task.pictures.length * tokensPerPicture,
      outputTokens: countTokens(text),
    },
    requestId: null,
  }
}
