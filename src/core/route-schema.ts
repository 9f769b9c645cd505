// The form of a route as people write it, in the API and in MODELS_FILE, and the rules that a form
// cannot express.
import type { CatalogueEntry } from './catalogue.ts'
import {
  type boundedPrices,
  defaultMoves,
  isRouteId,
  type MaxPrice,
  mediumOf,
  moveReasons,
  type Route,
  routeNeeds,
  routePrefix,
  routeSorts,
} from './route.ts'
import { type Static, Type } from './schema.ts'

const closed = { additionalProperties: false }
const OneOf = <const Word extends string>(words: readonly Word[]) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words] })
const Price = Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 }))

export const maxCandidates = 16

export const RouteName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
  description: '1 to 64 lowercase letters, digits and hyphens',
})

export const routeFields = {
  description: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  candidates: Type.Array(
    Type.Object(
      {
        model: Type.String({ minLength: 1, maxLength: 200 }),
        weight: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 1000,
            description: 'Its share of the conversations. Only with sort order.',
          }),
        ),
      },
      closed,
    ),
    { minItems: 1, maxItems: maxCandidates, description: 'The models, the preferred one first.' },
  ),
  sort: Type.Optional(
    Type.Unsafe<Route['sort']>({
      ...OneOf(routeSorts),
      description: 'Which is asked first: as listed (default), the cheapest or the quickest.',
    }),
  ),
  maxPrice: Type.Optional(
    Type.Object(
      {
        inputPerMillionTokens: Price,
        outputPerMillionTokens: Price,
        perImage: Price,
        perSecond: Price,
      } satisfies Record<(typeof boundedPrices)[number], unknown>,
      { ...closed, description: 'Dearer candidates, and those without a price, are left out.' },
    ),
  ),
  require: Type.Optional(
    Type.Array(OneOf(routeNeeds), {
      description: 'Candidates that lack one of these are left out.',
    }),
  ),
  on: Type.Optional(
    Type.Array(OneOf(moveReasons), {
      description: `When the next candidate is asked. Default: ${defaultMoves.join(', ')}.`,
    }),
  ),
  attemptTimeoutSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 600,
      description: 'How long each candidate but the last has to accept a text call.',
    }),
  ),
  mayPayTwice: Type.Optional(
    Type.Boolean({
      description:
        'A text call that timed out is asked of the next candidate, although the first may bill it too.',
    }),
  ),
}

const Written = Type.Object(routeFields, closed)
export type WrittenRoute = Static<typeof Written>

/** As it is stored: everything that has a default is there. */
export function toRoute(name: string, written: WrittenRoute): Route {
  const { description, candidates, sort = 'order', maxPrice, on = defaultMoves } = written
  const { attemptTimeoutSeconds, mayPayTwice, require = [] } = written
  return {
    name,
    ...(description === undefined ? {} : { description }),
    candidates: candidates.map(({ model, weight }) => ({
      model,
      ...(weight === undefined ? {} : { weight }),
    })),
    sort,
    ...(maxPrice ? { maxPrice: maxPrice as MaxPrice } : {}),
    ...(require.length > 0 ? { require: [...new Set(require)] } : {}),
    on: [...new Set(on)],
    ...(attemptTimeoutSeconds === undefined ? {} : { attemptTimeoutSeconds }),
    ...(mayPayTwice ? { mayPayTwice: true } : {}),
  }
}

export type RouteProblem = { path: string; message: string }

const routedKinds = ['TEXT', 'CODE', 'IMAGE', 'VIDEO']

/** Null if the route makes sense with these models. */
export function routeProblem(
  { candidates, sort, on, mayPayTwice }: Route,
  find: (id: string) => CatalogueEntry | undefined,
): RouteProblem | null {
  const [first] = candidates
  const firstKind = first && find(first.model)?.model.kind
  for (const [index, { model, weight }] of candidates.entries()) {
    const path = `/candidates/${index}`
    const problem =
      candidateProblem(model, find(model), firstKind) ??
      (candidates.findIndex((other) => other.model === model) < index ? 'is listed twice' : null)
    if (problem) return { path: `${path}/model`, message: `"${model.slice(0, 100)}" ${problem}` }
    if (weight !== undefined && sort !== 'order') {
      return { path: `${path}/weight`, message: `weight has no effect with sort "${sort}"` }
    }
  }
  if (mayPayTwice && !on.includes('timeout')) {
    const message = 'mayPayTwice has no effect without "timeout" in on'
    return { path: '/mayPayTwice', message }
  }
  return null
}

function candidateProblem(
  id: string,
  entry: CatalogueEntry | undefined,
  firstKind: string | undefined,
): string | null {
  if (isRouteId(id)) return `is a route: list its models instead of "${routePrefix}…"`
  if (!entry) return 'is not a model of this server'
  const { kind } = entry.model
  if (!routedKinds.includes(kind))
    return `is of kind ${kind}: routes are for text, images and video`
  if (firstKind && mediumOf(kind) !== mediumOf(firstKind)) {
    return `is of kind ${kind}, the first candidate of kind ${firstKind}`
  }
  return null
}
