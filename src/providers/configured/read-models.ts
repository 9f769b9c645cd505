// What MODELS_FILE says, with its servers opened: endpoints, deployments, models, routes and limits.
import type { CatalogueEntry } from '#core/catalogue.ts'
import type { LaneLimits } from '#core/lane.ts'
import { buildEntries, type KnownModel, type TokenPrices } from '../build-catalogue.ts'
import { buildLimits } from '../build-limits.ts'
import { buildRoutes } from '../build-routes.ts'
import { pricesAt, sourceOf } from '../builtin-model.ts'
import { builtinModels } from '../builtin-models.ts'
import { demoModels } from '../demo/models.ts'
import { type ModelsFile, parseModelsFile } from '../models-file.ts'
import { noPrices, type PricesFile } from '../prices-file.ts'
import { type OpenDeployment, openServers } from './open-servers.ts'

export type ReadModels = Awaited<ReturnType<typeof readModels>>

type Context = Parameters<typeof openServers>[1]

export async function readModels(text: string, context: Context) {
  const file: ModelsFile = text === '' ? {} : parseModelsFile(text)
  const { models, routes: writtenRoutes, limits: writtenLimits = [] } = file
  const { endpoints, deployments } = await openServers(file, context)
  const configuredProviders = new Set([
    ...context.own.keys(),
    ...endpoints.keys(),
    ...deployments.keys(),
  ])
  const priceData = configuredProviders.size > 1 || models ? await loadPrices() : null
  const fromFile = models ?? []
  const entriesAt = (nowMs: number, pricesFile: PricesFile): CatalogueEntry[] => {
    const tokenPrices: TokenPrices = (provider, model) => {
      const pricing = priceData?.tokenPrices(provider, model, nowMs)
      return pricing ? { pricing, priceSource: priceData?.priceDataSource } : null
    }
    const known = knownAt(nowMs)
    return buildEntries({ tokenPrices, known, fromFile, configuredProviders, pricesFile, nowMs })
  }
  const routes = writtenRoutes && buildRoutes(writtenRoutes, entriesAt(0, noPrices))
  const named = new Set([...configuredProviders, ...builtinModels.map(({ provider }) => provider)])
  const limits = buildLimits(writtenLimits, named)
  const limitsOf = (provider: string, deployment?: string): LaneLimits | undefined =>
    (deployment === undefined ? undefined : ownLimits(deployments.get(provider), deployment)) ??
    limits.get(provider)
  return { endpoints, deployments, configuredProviders, entriesAt, routes, limitsOf }
}

const ownLimits = (list: readonly OpenDeployment[] | undefined, name: string) =>
  list?.find((one) => one.name === name)?.limits

const knownAt = (nowMs: number): KnownModel[] => [
  ...demoModels.map((model) => ({ ...model, providerModel: model.id })),
  ...builtinModels.map(({ facts: _, laterPricing, pricing, ...model }) => ({
    ...model,
    pricing: pricesAt({ pricing, laterPricing }, nowMs) ?? null,
    ...(pricing ? { priceSource: sourceOf(pricing) } : {}),
  })),
]

const loadPrices = () => import('../token-prices.ts')
