import { Link } from '@tanstack/react-router'
import type { Task } from '#console/api/types.ts'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Money } from '#console/ui/money.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

const columns: readonly Column<Task>[] = [
  {
    key: 'prompt',
    label: 'Prompt',
    names: true,
    className: 'max-w-96',
    draw: ({ taskId, promptPreview }) => (
      <Link to="/tasks/$taskId" params={{ taskId }} className="line-clamp-2">
        {promptPreview || 'No prompt'}
      </Link>
    ),
  },
  { key: 'status', label: 'State', draw: ({ status }) => <TaskStatus status={status} /> },
  { key: 'model', label: 'Model', wideOnly: true, draw: ({ model }) => model },
  {
    key: 'source',
    label: 'Source',
    wideOnly: true,
    draw: ({ source }) => (source === 'WORKFLOW' ? 'Workflow' : 'Direct'),
  },
  { key: 'at', label: 'Created', wideOnly: true, draw: (task) => <When at={task.createdAt} /> },
  { key: 'cost', label: 'Cost', align: 'right', draw: ({ cost }) => <Money value={cost} /> },
]

export const TaskTable = ({ tasks }: { tasks: readonly Task[] }) => (
  <Table caption="Tasks" columns={columns} rows={tasks} rowKey={({ taskId }) => taskId} />
)
