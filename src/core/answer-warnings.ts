// What a caller should know of an answer that is one, but not as it was meant to be.
import { Type } from './schema.ts'

export const cutWarning = {
  code: 'ANSWER_CUT',
  message:
    'The answer reached the limit of its length and was cut off. Raise maxTokens or ask for less.',
} as const

export type AnswerWarning = typeof cutWarning

/** Undefined, so that a record without warnings has no such field. */
export const warningsOf = (finish: 'stop' | 'length'): AnswerWarning[] | undefined =>
  finish === 'length' ? [cutWarning] : undefined

export const AnswerWarnings = Type.Optional(
  Type.Array(
    Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }),
    { description: 'ANSWER_CUT: the answer reached the limit of its length. Left out if none.' },
  ),
)
