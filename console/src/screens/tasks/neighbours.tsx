import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import type { TaskDetail } from '#console/api/types.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { buttonClass } from '#console/ui/button-class.ts'

/** The tasks requested just before and after this one; the arrow keys lead to them. */
export function Neighbours({ task }: { task: TaskDetail }) {
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['neighbours', task.taskId],
    queryFn: ({ signal }) => findNeighbours(task, signal),
    staleTime: 30_000,
  })
  const go = (taskId: string | undefined) =>
    taskId && void navigate({ to: '/tasks/$taskId', params: { taskId }, replace: true })
  useShortcut('ArrowLeft', 'Newer task', () => go(data?.newer))
  useShortcut('ArrowRight', 'Older task', () => go(data?.older))
  return (
    <nav aria-label="Neighbouring tasks" className="flex min-h-8 justify-between gap-2">
      {data?.newer ? (
        <Link
          to="/tasks/$taskId"
          params={{ taskId: data.newer }}
          replace
          className={buttonClass('quiet', 'small')}
        >
          <ChevronLeft size={16} aria-hidden /> Newer
        </Link>
      ) : (
        <span />
      )}
      {data?.older && (
        <Link
          to="/tasks/$taskId"
          params={{ taskId: data.older }}
          replace
          className={buttonClass('quiet', 'small')}
        >
          Older <ChevronRight size={16} aria-hidden />
        </Link>
      )}
    </nav>
  )
}

/**
 * Lists are newest first, so the older neighbour is the next one in the list from this task's time
 * on, or the first before it. The newer one is found only if this task is among the newest 200.
 */
async function findNeighbours({ taskId, createdAt }: TaskDetail, signal: AbortSignal) {
  const [before, since] = await Promise.all([
    consoleCall('GET /tasks', { query: { to: createdAt, size: 1 }, signal }),
    consoleCall('GET /tasks', { query: { from: createdAt, size: 200 }, signal }),
  ])
  const at = since.items.findIndex((task) => task.taskId === taskId)
  return {
    newer: at > 0 ? since.items[at - 1]?.taskId : undefined,
    older: since.items[at + 1]?.taskId ?? before.items[0]?.taskId,
  }
}
