import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RunSource, Values } from './run-source.ts'

/** A pause in typing. The canvas's shorter pause would ask more often than people can read. */
const pauseMs = 400

/**
 * What a run with these inputs would cost, asked again whenever they stop changing. There is no
 * answer while it is not about what is on screen: an amount of before the last change misleads.
 */
export function useEstimate(source: RunSource, inputs: Values) {
  const text = `${source.name}\n${JSON.stringify(inputs)}`
  const [resting, setResting] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const isResting = resting === text
  const query = useQuery({
    queryKey: ['estimate', resting],
    queryFn: ({ signal }) => source.estimate(inputs, signal),
    enabled: isResting,
  })
  return {
    data: isResting ? query.data : undefined,
    isError: isResting && (query.isError || query.data === null),
  }
}
