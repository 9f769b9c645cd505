import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useKept } from '#console/lib/use-kept.ts'
import { type CreativeKind, type CreativeRequest, requestsOf } from './creative.ts'
import { withPrompt } from './prompt-history.ts'
import { submitCreative } from './submission.ts'

/** As many as fit beside each other in a few rows. */
const mostInStrip = 40

/** Makes images or videos, and remembers those of this session and their prompts. */
export function useCreation(kind: CreativeKind, owner: string) {
  const [strip, setStrip] = useKept<readonly string[]>(`${owner}.${kind}.strip`, [])
  const [prompts, setPrompts] = useKept<readonly string[]>(`${owner}.${kind}.prompts`, [])
  const [shownId, setShown] = useState<string | null>(null)
  const [isLooking, setLooking] = useState(false)
  const submit = useMutation({
    // A write that waits for the network would be sent later, unnoticed: this one fails at once
    // instead.
    networkMode: 'always',
    // One after the other: a submission whose answer was lost is told from its equals by the tasks
    // that are known already.
    async mutationFn({ request, count }: { request: CreativeRequest; count: number }) {
      setPrompts((now) => withPrompt(now, request.prompt))
      setShown(null)
      const known = new Set(strip)
      let wasLost = false
      for (const one of requestsOf(request, count)) {
        const made = await submitCreative(kind, one, { known, onLost: () => setLooking(true) })
        known.add(made.taskId)
        wasLost ||= made.wasLost
        setLooking(false)
        setStrip((now) => [made.taskId, ...now].slice(0, mostInStrip))
      }
      return { wasLost }
    },
    onSettled: () => setLooking(false),
  })
  return {
    submit,
    isLooking,
    strip,
    prompts,
    /** The newest, unless another one was chosen. */
    shownId: shownId ?? strip[0] ?? null,
    show: setShown,
    clear: () => setStrip([]),
  }
}
