import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { CreativeRequest } from './creative.ts'

/** A pause in typing. */
const pauseMs = 400

/** What these images or videos would cost, asked again whenever the form stops changing. */
export function useTaskEstimate(
  { model, prompt, image, mask, settings }: CreativeRequest,
  count: number,
) {
  const { videoSeconds } = settings
  const text = JSON.stringify({
    ...{ model, prompt: prompt.slice(0, 10_000), count, hasImage: image !== undefined },
    ...(mask === undefined ? {} : { hasMask: true }),
    ...(videoSeconds === undefined ? {} : { videoSeconds }),
  })
  const [resting, setResting] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const estimate = useQuery({
    queryKey: ['task estimate', resting],
    queryFn: ({ signal }) =>
      consoleCall('POST /tasks/estimate', { body: JSON.parse(resting), signal }),
    placeholderData: keepPreviousData,
  })
  // An estimate of what the form said before is not shown as one of what it says now.
  return { ...estimate, isCurrent: resting === text && !estimate.isPlaceholderData }
}
