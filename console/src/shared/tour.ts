import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '#console/api/session.ts'
import type { Workflow } from '#console/api/types.ts'
import { useKept } from '#console/lib/use-kept.ts'
import { createSample, removeSamples } from './samples.ts'

export type TourState = {
  /** Null before it was started. */
  workflowId: number | null
  isOpen: boolean
  /** Whether a page that shows what a run cost was opened. */
  hasSeenCost: boolean
}

const notStarted: TourState = { workflowId: null, isOpen: false, hasSeenCost: false }

/** Kept in this browser, so that the tour can be left and resumed. */
export function useTour() {
  const session = useSession().data?.session
  return useKept<TourState>(`tour.${session?.user.id ?? ''}`, notStarted)
}

/** Opens the tour where it was left, or begins it with a sample workflow. */
export function useStartTour() {
  const [tour, setTour] = useTour()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => tour.workflowId ?? (await createSample(sample)).id,
    onSuccess: (workflowId) => {
      setTour((now) => ({ ...now, workflowId, isOpen: true }))
      void navigate({
        to: '/workflows/$workflowId',
        params: { workflowId: String(workflowId) },
      })
    },
  })
}

/** Deletes every sample, and with it the tour's own workflow. */
export function useRemoveSamples() {
  const [, setTour] = useTour()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: removeSamples,
    onSuccess: () => {
      setTour(notStarted)
      void client.invalidateQueries({ queryKey: ['workflows'] })
      void navigate({ to: '/workflows' })
    },
  })
}

/** Small enough to be understood at a glance, free as its model is built in, and not finished yet. */
const sample: Pick<Workflow, 'name' | 'data'> = {
  name: 'My first picture',
  data: {
    nodes: [
      {
        id: 'subject',
        type: 'input.text',
        position: { x: 0, y: 0 },
        data: { label: 'Subject', default: 'a lighthouse at dusk' },
      },
      {
        id: 'draw',
        type: 'image.generate',
        position: { x: 640, y: 0 },
        data: { label: 'Draw', model: 'demo-image' },
      },
      {
        id: 'picture',
        type: 'output',
        position: { x: 960, y: 0 },
        data: { label: 'Picture' },
      },
    ],
    connections: [
      wire('subject', 'value', 'draw', 'prompt'),
      wire('draw', 'image', 'picture', 'value'),
    ],
  },
}

function wire(source: string, sourceHandle: string, target: string, targetHandle: string) {
  return { source, sourceHandle, target, targetHandle }
}
