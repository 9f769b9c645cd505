import type { TaskDetail } from '#console/api/types.ts'
import { Copy } from '#console/ui/copy.tsx'

/** The same as a command, for whoever leaves the browser. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const curl = `curl -s ${location.origin}/api/ai-tools/v1/tasks/${task.taskId} \\\n  -H "Authorization: Bearer $ATELIER_API_KEY"`
  return <Copy text={curl} label="Copy as curl" form="button" />
}
