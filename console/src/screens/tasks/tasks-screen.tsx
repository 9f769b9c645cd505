import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Images, LayoutGrid, Rows3 } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { SearchedList, usePolledList } from '#console/shared/searched-list.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { isFiltered, type TasksSearch, tasksQuery } from './address.ts'
import { TaskFilters } from './task-filters.tsx'
import { TaskGallery } from './task-gallery.tsx'
import { TaskTable } from './task-table.tsx'

const route = getRouteApi('/framed/tasks')

export function TasksScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = tasksQuery(search)
  const tasks = usePolledList({
    queryKey: ['tasks', query],
    read: (signal) => consoleCall('GET /tasks', { query, signal }),
  })
  const { cursor: _, size: __, ...filters } = query
  const { data: count } = useQuery({
    queryKey: ['tasks', 'count', filters],
    queryFn: ({ signal }) => consoleCall('GET /task-count', { query: filters, signal }),
    refetchInterval: 15_000,
  })
  const change = (next: TasksSearch) =>
    void navigate({ search: { ...search, cursor: undefined, ...next }, replace: true })
  const isTable = search.view === 'table'
  return (
    <Page
      title="Tasks"
      lead="Every image and video, whether from the playground, an API key or a workflow."
      actions={
        <fieldset className="flex gap-1">
          <legend className="sr-only">View</legend>
          <IconButton
            label="Gallery"
            aria-pressed={!isTable}
            icon={<LayoutGrid size={16} aria-hidden />}
            onClick={() => change({ view: undefined, cursor: search.cursor })}
          />
          <IconButton
            label="Table"
            aria-pressed={isTable}
            icon={<Rows3 size={16} aria-hidden />}
            onClick={() => change({ view: 'table', cursor: search.cursor })}
          />
        </fieldset>
      }
    >
      <TaskFilters search={search} onChange={change} />
      <SearchedList
        query={tasks}
        noun="tasks"
        skeleton={<GallerySkeleton />}
        search={search}
        isFiltered={isFiltered(search)}
        total={count ? `${formatCount(count.total)}${count.isExact ? '' : '+'}` : null}
        onClear={() => void navigate({ search: {} })}
        onNext={(cursor) => void navigate({ search: { ...search, cursor } })}
        unmatched="A request whose answer was lost is listed too if it reached the server: look for its prompt and time."
        nothing={<NoTasks />}
      >
        {(items) =>
          isTable ? (
            <Card flush>
              <TaskTable tasks={items} />
            </Card>
          ) : (
            <TaskGallery tasks={items} />
          )
        }
      </SearchedList>
    </Page>
  )
}

const NoTasks = () => (
  <Empty
    icon={<Images size={24} aria-hidden />}
    title="No images or videos yet"
    action={
      <Link to="/playground/image" className={buttonClass('primary')}>
        Make an image
      </Link>
    }
  >
    Everything you generate is kept here, with its prompt and its cost.
  </Empty>
)

const GallerySkeleton = () => (
  <div className="grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-4">
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <Skeleton key={key} className="aspect-square rounded-md" />
    ))}
  </div>
)
