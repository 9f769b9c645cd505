import { Type } from '#core/schema.ts'
import { listCredentials } from '#store/tables/credentials.ts'
import { answer } from '../../operation.ts'
import { Model, nativeModels } from '../../public/models/list-models.ts'
import { Closed } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'

export const listKeyModels = defineConsole({
  id: 'listKeyModels',
  route: 'GET /key-models',
  summary:
    "Lists the models that nodes can call only with the account's own provider keys, because the server has none",
  access: 'viewer',
  takesKeys: true,
  success: {
    200: {
      description: 'Models of the providers that the account has a key for.',
      data: Closed({ items: Type.Array(Model) }),
    },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, api } = context.services
    const credentials = await listCredentials(db, accountId)
    const providers = new Set(credentials.map(({ provider }) => provider))
    const items = nativeModels(api.catalogue.keyless)
    return answer({ items: items.filter(({ provider }) => providers.has(provider)) })
  },
})
