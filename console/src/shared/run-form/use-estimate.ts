import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { publicCall } from '#console/api/public-api.ts'
import type { GraphEstimate } from '#console/api/types.ts'

/** A pause in typing. The canvas's shorter pause would ask more often than people can read. */
const pauseMs = 400

/** What a run with these inputs would cost, asked again whenever they stop changing. */
export function useEstimate(workflowId: number, inputs: Readonly<Record<string, unknown>>) {
  const text = JSON.stringify(inputs)
  const [resting, setResting] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return useQuery({
    queryKey: ['estimate', workflowId, resting],
    queryFn: ({ signal }) =>
      publicCall<GraphEstimate>(`/workflows/${workflowId}/estimate`, {
        method: 'POST',
        body: { inputs: JSON.parse(resting) },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}
