import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AskedRun, RunSource } from './run-source.ts'

/** A pause in typing. The canvas's shorter pause would ask more often than people can read. */
const pauseMs = 400

/**
 * What such a run would cost, asked again whenever its form stops changing. There is no
 * answer while it is not about what is on screen: an amount of before the last change misleads.
 */
export function useEstimate(source: RunSource, asked: AskedRun) {
  const text = `${source.name}\n${JSON.stringify(asked)}`
  const [resting, setResting] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const isResting = resting === text
  const query = useQuery({
    queryKey: ['estimate', resting],
    queryFn: ({ signal }) => source.estimate(asked, signal),
    enabled: isResting,
  })
  return {
    data: isResting ? query.data : undefined,
    isError: isResting && (query.isError || query.data === null),
  }
}
