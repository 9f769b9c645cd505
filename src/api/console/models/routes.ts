// Routes: names under which an account calls one of several models.
import { Failure, invalid } from '#core/errors.ts'
import type { ModelChoices } from '#core/principal.ts'
import { type Route, type Routes, routePrefix } from '#core/route.ts'
import { RouteName, routeFields, routeProblem, toRoute } from '#core/route-schema.ts'
import { servedBy, withRoutes } from '#core/routed-catalogue.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import { lockAccount, readAccount, storeRoutes } from '#store/tables/accounts.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireCaller } from '../context.ts'

/** The whole list is kept with each credential. */
const most = 50

const byName = Closed({ name: RouteName })

const RouteRecord = NamedRecord('Route', {
  id: Type.String({ description: 'What a call names as its model.' }),
  name: RouteName,
  ...routeFields,
  isOperators: Type.Boolean({
    description: 'It is in MODELS_FILE, and every account has it. One of yours hides it.',
  }),
  usable: Type.Array(Type.String(), {
    description: 'The candidates that can be called now and meet the conditions.',
  }),
})

export const listRoutes = defineConsole({
  id: 'listRoutes',
  route: 'GET /routes',
  summary: 'Lists the routes that the account can call',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: { description: 'The routes.', data: Closed({ items: Type.Array(RouteRecord) }) },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, api } = context.services
    const { routes, standIns } = (await readAccount(db, accountId)) ?? {}
    const items = withRoutes(api.catalogue, routes).entries.flatMap(({ route }) =>
      route ? [toRecord(context, route, { routes, standIns })] : [],
    )
    return answer({ items })
  },
})

export const setRoute = defineConsole({
  id: 'setRoute',
  route: 'PUT /routes/{name}',
  summary: 'Defines a route, or replaces it; runs that have begun keep the one they began with',
  access: 'editor',
  takesKeys: true,
  params: byName,
  body: Closed(routeFields),
  success: { 200: { description: 'The route.', data: RouteRecord } },
  errors: ['QUOTA_EXCEEDED'],
  audit: {
    action: 'route.changed',
    target: ({ params: { name }, body }) =>
      `${name}: ${body.candidates.map(({ model }) => model).join(', ')}`,
  },
  repeatable: true,
  async handle(context, { params: { name }, body }) {
    const { accountId } = requireCaller(context)
    const route = toRoute(name, body)
    const problem = routeProblem(route, context.services.api.catalogue.known)
    if (problem) {
      const issue = { ...problem, rule: 'route' }
      throw invalid('INVALID_REQUEST', [issue], `${problem.message}.`)
    }
    const choices = await change(context, accountId, (routes) => {
      const next = { ...routes, [name]: route }
      if (Object.keys(next).length <= most) return next
      const message = `An account has at most ${most} routes. Delete one first.`
      throw new Failure('QUOTA_EXCEEDED', { message, retryable: false })
    })
    return answer(toRecord(context, route, choices))
  },
})

export const deleteRoute = defineConsole({
  id: 'deleteRoute',
  route: 'DELETE /routes/{name}',
  summary: 'Deletes a route; calls that name it are refused from now on',
  access: 'editor',
  takesKeys: true,
  params: byName,
  success: {
    200: {
      description: 'Deleted.',
      data: Closed({ name: RouteName, deleted: Type.Literal(true) }),
    },
  },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'route.deleted', target: ({ params }) => params.name },
  repeatable: true,
  async handle(context, { params: { name } }) {
    const { accountId } = requireCaller(context)
    await change(context, accountId, (routes) => {
      const { [name]: removed, ...others } = routes
      if (removed) return others
      const message = `Your account has no route "${name}".`
      throw new Failure('RECORD_NOT_FOUND', { message })
    })
    return answer({ name, deleted: true })
  },
})

/** One after the other, so that none is lost. */
async function change(
  { services: { db, verifier } }: ConsoleContext,
  accountId: string,
  edit: (routes: Routes) => Routes,
) {
  const choices = await db.transaction(async (tx: Tx) => {
    await lockAccount(tx, accountId)
    const { routes = {}, standIns } = (await readAccount(tx, accountId)) ?? {}
    const next = edit(routes)
    await storeRoutes(tx, accountId, next)
    return { routes: next, standIns }
  })
  verifier.forgetAccount(accountId)
  return choices
}

function toRecord(
  { services: { api } }: ConsoleContext,
  route: Route,
  { routes, standIns }: ModelChoices,
): Static<typeof RouteRecord> {
  const { require, ...always } = route
  return {
    id: routePrefix + route.name,
    ...always,
    candidates: [...route.candidates],
    ...(require ? { require: [...require] } : {}),
    on: [...route.on],
    isOperators: routes === undefined || !Object.hasOwn(routes, route.name),
    usable: servedBy(api.catalogue, route, { owner: 'server', standIns }).map(
      ({ model }) => model.id,
    ),
  }
}
