import { useMutation, useQueryClient } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'

export type Marking = { action: 'star' | 'unstar' | 'delete'; ids: string[] }

/** Stars or deletes tasks; the lists on screen follow. */
export function useMarkTasks(onDone?: (marking: Marking) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Marking) => consoleCall('POST /tasks/bulk', { body }),
    onSuccess: async (_, marking) => {
      onDone?.(marking)
      await Promise.all([
        client.invalidateQueries({ queryKey: ['tasks'] }),
        client.invalidateQueries({ queryKey: ['task'] }),
      ])
    },
  })
}
