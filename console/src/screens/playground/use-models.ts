import { useQuery } from '@tanstack/react-query'
import { publicCall } from '#console/api/public-api.ts'
import type { Model, ModelList } from '#console/api/types.ts'

export const useModels = (kinds: readonly Model['kind'][]) =>
  useQuery({
    queryKey: ['models'],
    queryFn: () => publicCall<ModelList>('/models'),
    staleTime: 60_000,
    select: ({ items }) => items.filter(({ kind }) => kinds.includes(kind)),
  })

/** The requested model, otherwise a real one: neither a demo nor a route, which is asked for by name. */
export const chosenModel = (models: readonly Model[], id: string | undefined): Model | undefined =>
  models.find((model) => model.id === id) ??
  models.find(({ demo, route }) => !demo && !route) ??
  models.find(({ route }) => !route) ??
  models[0]
