import { type ModelEntry, type ModelsFile, parseModelsFile } from '../models-file.ts'
import type { DiscoveredModel } from './discover-models.ts'

type Endpoint = NonNullable<ModelsFile['endpoints']>[number]

export type Compared = {
  /** Entries for models that the file does not have. */
  added: ModelEntry[]
  known: ModelEntry[]
  /** Entries for models that the server no longer has. */
  gone: ModelEntry[]
}

/** What the server has and the file has not, and the reverse. */
export function compareModels(
  { models = [] }: ModelsFile,
  endpoint: string,
  found: readonly DiscoveredModel[],
  { isFree }: { isFree: boolean },
): Compared {
  const theirs = new Set(found.map(({ providerModel }) => providerModel))
  const nameOf = ({ providerModel, id }: ModelEntry) => providerModel ?? id
  const own = models.filter(({ provider }) => provider === endpoint)
  const named = new Set(own.map(nameOf))
  return {
    added: found
      .filter(({ providerModel }) => !named.has(providerModel))
      .map((model) => entryFor(endpoint, model, isFree)),
    known: own.filter((entry) => theirs.has(nameOf(entry))),
    gone: own.filter((entry) => !theirs.has(nameOf(entry))),
  }
}

function entryFor(endpoint: string, model: DiscoveredModel, isFree: boolean): ModelEntry {
  const { providerModel, kind, maxInputTokens, seesImages, keepsSchema } = model
  const capabilities = {
    ...(seesImages ? { inputModalities: ['text' as const, 'image' as const] } : {}),
    ...(maxInputTokens ? { maxInputTokens } : {}),
    ...(keepsSchema ? { structuredOutput: true } : {}),
  }
  const free = { inputPerMillionTokens: 0, outputPerMillionTokens: 0 }
  return {
    id: idFor(endpoint, providerModel),
    ...{ provider: endpoint, providerModel, kind },
    ...(Object.keys(capabilities).length > 0 ? { capabilities } : {}),
    ...(isFree ? { pricing: free } : {}),
  }
}

/** Callers name models in fewer characters than servers do. */
const idFor = (endpoint: string, providerModel: string): string =>
  `${endpoint}/${providerModel.replace(/[^A-Za-z0-9._:/@-]+/g, '-')}`.slice(0, 128)

/** The new content of the file. Throws if that would not be valid. */
export function addToModelsFile(
  file: ModelsFile,
  { endpoint, models }: { endpoint?: Endpoint; models: readonly ModelEntry[] },
): string {
  const endpoints = file.endpoints ?? []
  const isNew = endpoint && !endpoints.some(({ name }) => name === endpoint.name)
  const next: ModelsFile = {
    ...file,
    ...(isNew ? { endpoints: [...endpoints, endpoint] } : {}),
    models: [...(file.models ?? []), ...models],
  }
  const text = `${JSON.stringify(next, null, 2)}\n`
  parseModelsFile(text)
  return text
}
