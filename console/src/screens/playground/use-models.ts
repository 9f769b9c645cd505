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

/** The requested model, otherwise a real model rather than a demo. */
export const chosenModel = (models: readonly Model[], id: string | undefined): Model | undefined =>
  models.find((model) => model.id === id) ?? models.find(({ demo }) => !demo) ?? models[0]
