// A route as the form holds it.

import type { ConsoleInput } from '#console/api/console-api.ts'
import type { Route } from '#console/api/types.ts'

type Body = ConsoleInput<'PUT /routes/{name}'>['body']
export type Reason = NonNullable<Body['on']>[number]
/** `weight` is `order` with weights. */
export type Placing = 'order' | 'weight' | 'price' | 'latency'

export type Candidate = { model: string | null; weight: string }

export type RouteDraft = {
  name: string
  description: string
  candidates: readonly Candidate[]
  placing: Placing
  on: readonly Reason[]
  attemptSeconds: string
  mayPayTwice: boolean
  /** Settings that the form does not show stay as they are. */
  rest: Pick<Body, 'maxPrice' | 'require'>
}

export const emptyDraft: RouteDraft = {
  name: '',
  description: '',
  candidates: [
    { model: null, weight: '1' },
    { model: null, weight: '1' },
  ],
  placing: 'order',
  on: ['connect', 'rate_limit', 'unavailable'],
  attemptSeconds: '',
  mayPayTwice: false,
  rest: {},
}

export function draftOf(route: Route): RouteDraft {
  const { name, description = '', candidates, sort = 'order', on = [] } = route
  const { maxPrice, require, attemptTimeoutSeconds, mayPayTwice = false } = route
  const isWeighted = candidates.some(({ weight }) => weight !== undefined)
  return {
    name,
    description,
    candidates: candidates.map(({ model, weight = 1 }) => ({ model, weight: String(weight) })),
    placing: isWeighted ? 'weight' : sort,
    on,
    attemptSeconds: attemptTimeoutSeconds === undefined ? '' : String(attemptTimeoutSeconds),
    mayPayTwice,
    rest: { ...(maxPrice ? { maxPrice } : {}), ...(require ? { require } : {}) },
  }
}

export type Problems = {
  name?: string
  attemptSeconds?: string
  mayPayTwice?: string
  /** By place in the list. */
  candidates: ReadonlyMap<number, string>
}

export const noProblems: Problems = { candidates: new Map() }

export const hasProblems = ({ candidates, ...fields }: Problems): boolean =>
  candidates.size > 0 || Object.keys(fields).length > 0

const whole = /^[0-9]+$/

export function problemsOf({ name, candidates, attemptSeconds, placing }: RouteDraft): Problems {
  const wrong = candidates.flatMap(({ model, weight }, index): [number, string][] => {
    if (model === null) return [[index, 'Choose a model, or remove this row.']]
    const isWeight = whole.test(weight) && Number(weight) >= 1 && Number(weight) <= 1000
    if (placing === 'weight' && !isWeight) return [[index, 'A weight is from 1 to 1000.']]
    return []
  })
  const isSeconds = whole.test(attemptSeconds) && Number(attemptSeconds) >= 1
  return {
    ...(/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)
      ? {}
      : { name: 'Use lowercase letters, digits and hyphens.' }),
    ...(attemptSeconds === '' || isSeconds ? {} : { attemptSeconds: 'A whole number of seconds.' }),
    candidates: new Map(wrong),
  }
}

/** Of a draft without problems. */
export function bodyOf(draft: RouteDraft): Body {
  const { description, candidates, placing, on, attemptSeconds, mayPayTwice, rest } = draft
  const isWeighted = placing === 'weight'
  return {
    ...rest,
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    candidates: candidates.map(({ model, weight }) => ({
      model: model ?? '',
      ...(isWeighted ? { weight: Number(weight) } : {}),
    })),
    sort: isWeighted ? 'order' : placing,
    on: [...on],
    ...(attemptSeconds === '' ? {} : { attemptTimeoutSeconds: Number(attemptSeconds) }),
    ...(mayPayTwice && on.includes('timeout') ? { mayPayTwice } : {}),
  }
}

/** The server's problems, at the fields they are about. */
export function problemsFrom(issues: readonly { path: string; message: string }[]): Problems {
  const candidates = new Map<number, string>()
  const fields: Omit<Problems, 'candidates'> = {}
  for (const { path, message } of issues) {
    const [, field, index] = path.split('/')
    if (field === 'candidates' && index !== undefined) candidates.set(Number(index), message)
    if (field === 'name' || field === 'mayPayTwice') fields[field] = message
    if (field === 'attemptTimeoutSeconds') fields.attemptSeconds = message
  }
  return { ...fields, candidates }
}
