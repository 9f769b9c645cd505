// Warnings about answers that succeeded but are not complete.
import { Type } from './schema.ts'

export const cutWarning = {
  code: 'ANSWER_CUT',
  message: 'The answer reached the output limit and was cut off. Raise maxTokens or ask for less.',
} as const

export type AnswerWarning = typeof cutWarning

/** Returns undefined if there are none, so that the record has no such field. */
export const warningsOf = (finish: 'stop' | 'length'): AnswerWarning[] | undefined =>
  finish === 'length' ? [cutWarning] : undefined

export const AnswerWarnings = Type.Optional(
  Type.Array(
    Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }),
    { description: 'ANSWER_CUT: the answer reached the output limit. Absent if there are none.' },
  ),
)
